import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Thread

import anyio
import pytest

from evolith.archive.sql import SqlStore
from evolith.archive.state import Entry
from evolith.archive.verify import verify
from evolith.core.events import SCHEMA_VERSION, Called, TestOpened
from evolith.core.ids import content_hash
from evolith.errors import ArchiveError, UsageError
from evolith.testing.store_suite import CALL_BLOBS, call, one_of_each, pending

PARTS = {"archive.db", "archive.tally", "run.lock"}


def test_a_closed_run_folder_holds_the_database_and_two_small_files(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path / "deep" / "run")
    anyio.run(store.append, [call()], CALL_BLOBS)
    store.close()
    assert {path.name for path in (tmp_path / "deep" / "run").iterdir()} == PARTS


def test_the_database_says_when_and_by_which_version_it_was_made(tmp_path: Path) -> None:
    SqlStore.create(tmp_path, clock=lambda: 12.5).close()
    with closing(sqlite3.connect(tmp_path / "archive.db")) as database:
        found = database.execute("SELECT schema_version, evolith_version, created FROM meta")
        schema, version, created = found.fetchone()
    assert (schema, created) == (SCHEMA_VERSION, 12.5)
    assert version.count(".") == 2


def test_a_folder_that_holds_a_run_is_not_overwritten(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path)
    anyio.run(store.append, [call()])
    store.close()
    with pytest.raises(ArchiveError, match="there is a run in this folder already") as caught:
        SqlStore.create(tmp_path)
    assert "evolith resume" in str(caught.value)
    reading = SqlStore.read(tmp_path)
    assert list(reading.entries()) == [call()]
    reading.close()


def test_a_run_whose_making_was_cut_short_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "archive.db").touch()
    with pytest.raises(ArchiveError, match=r"archive\.db does not hold a run"):
        SqlStore.open(tmp_path)
    SqlStore.create(tmp_path).close()
    SqlStore.open(tmp_path).close()


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for opening in (SqlStore.open, SqlStore.read):
        with pytest.raises(UsageError, match=r"there is no archive\.db in it"):
            opening(tmp_path)
        with pytest.raises(UsageError, match="there is no such folder"):
            opening(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
    SqlStore.create(tmp_path / "lost").close()
    (tmp_path / "lost" / "archive.db").unlink()
    for opening in (SqlStore.open, SqlStore.read):
        with pytest.raises(ArchiveError, match="although it is the folder of a run"):
            opening(tmp_path / "lost")
    with pytest.raises(ArchiveError, match="there is a file where the run folder should be"):
        SqlStore.create(tmp_path / "file")


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "archive.db")) as database, database:
        database.execute("CREATE TABLE meta (name TEXT)")
    for opening in (SqlStore.open, SqlStore.read):
        with pytest.raises(ArchiveError, match=r"archive\.db does not hold a run"):
            opening(tmp_path)


def test_reading_needs_no_lock_and_sees_what_is_written_later(tmp_path: Path) -> None:
    writing = SqlStore.create(tmp_path)
    reading = SqlStore.read(tmp_path)
    events = reading.entries()
    assert reading.find(call(1).event.key) is None
    for number in range(1, 4):
        anyio.run(writing.append, [call(number)])
        assert reading.find(call(number).event.key) == call(number)
    assert list(events) == [call(1), call(2), call(3)]
    assert reading.hash() == writing.hash()
    reading.close()
    writing.close()


def test_a_store_opened_for_reading_cannot_be_written(tmp_path: Path) -> None:
    SqlStore.create(tmp_path).close()
    reading = SqlStore.read(tmp_path)
    for work in (
        lambda: reading.append([call()]),
        lambda: reading.send(pending("call/x")),
        lambda: reading.forget(["call/x"]),
    ):
        with pytest.raises(ArchiveError, match="opened for reading only"):
            anyio.run(work)
    reading.close()


def test_a_run_with_more_events_than_a_page_is_read_whole(tmp_path: Path) -> None:
    entries = [call(number) for number in range(1_234)]
    store = SqlStore.create(tmp_path)
    anyio.run(store.append, entries, CALL_BLOBS)
    assert list(store.entries()) == entries
    with pytest.raises(ArchiveError, match="another content"):  # the last of many keys
        anyio.run(store.append, [*entries[:-1], call(1_233, "other")])
    store.close()
    assert verify(tmp_path) == []


def test_a_long_text_takes_less_room_than_it_is_long(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path)
    anyio.run(store.append, [], ["the same words again " * 100_000])
    store.close()
    assert (tmp_path / "archive.db").stat().st_size < 100_000


def test_a_key_with_half_a_character_is_refused(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path)
    entry = Entry(TestOpened(candidate="\ud83d", use=1), 1.0)
    for work in (
        lambda: store.append([entry]),
        lambda: store.send(pending("call/\ud83d")),
        lambda: store.forget(["call/\ud83d"]),
    ):
        with pytest.raises(ArchiveError, match="a key holds half a character"):
            anyio.run(work)
    with pytest.raises(ArchiveError, match="a key holds half a character"):
        store.find(entry.event.key)
    anyio.run(store.append, [call()])  # the store is none the worse
    store.close()


def test_a_failure_of_the_writer_reaches_every_append_that_waits_and_all_later_ones(
    tmp_path: Path,
) -> None:
    store = SqlStore.create(tmp_path)
    anyio.run(store.append, one_of_each())
    with closing(sqlite3.connect(tmp_path / "archive.db")) as other, other:
        other.execute("ALTER TABLE blob RENAME TO gone")
    failed: list[str] = []

    async def append(number: int) -> None:
        with pytest.raises(ArchiveError) as caught:
            await store.append([call(100 + number)], [f"blob {number}"])
        failed.append(str(caught.value))

    async def work() -> None:
        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(append, number)
        await append(20)

    anyio.run(work)
    assert len(failed) == 21
    assert all("no such table: blob" in message for message in failed)
    assert list(store.entries()) == one_of_each()
    store.close()


def test_appends_from_several_event_loops_are_all_answered(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path)

    def thread(first: int) -> None:
        async def work() -> None:
            for number in range(first, first + 20):
                await store.append([call(number)])
                assert store.find(call(number).event.key) is not None

        asyncio.run(work())

    threads = [Thread(target=thread, args=[first]) for first in (0, 100, 200)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(list(store.entries())) == 60
    store.close()


def test_an_append_is_written_although_its_task_was_cancelled(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path)
    told: list[str] = []

    async def append() -> None:
        await store.append([call(1)])
        told.append("acknowledged")  # so what was computed from it agrees with the archive

    async def work() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(append)
            await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()

    anyio.run(work)
    assert told == ["acknowledged"]
    assert store.find(call(1).event.key) == call(1)
    store.close()


def test_what_is_queued_is_written_before_the_store_closes(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path)

    async def work() -> None:
        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(store.append, [call(number)])
            await anyio.lowlevel.checkpoint()
            store.close()

    anyio.run(work)
    again = SqlStore.read(tmp_path)
    assert len(list(again.entries())) == 50
    again.close()


def test_opening_and_closing_leaves_no_file_open(tmp_path: Path) -> None:
    SqlStore.create(tmp_path).close()
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(5):
        SqlStore.open(tmp_path).close()
        SqlStore.read(tmp_path).close()
        with pytest.raises(ArchiveError):
            SqlStore.create(tmp_path)
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_the_hash_of_the_same_run_is_the_same_in_any_order(tmp_path: Path) -> None:
    stores: list[SqlStore] = []
    for name, entries in (("a", one_of_each()), ("b", one_of_each()[::-1])):
        store = SqlStore.create(tmp_path / name)
        for entry in entries:
            anyio.run(store.append, [entry])
        stores.append(store)
    assert stores[0].hash() == stores[1].hash()
    for store in stores:
        store.close()


def test_a_recorded_call_is_found_with_its_blobs(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path)
    anyio.run(store.append, [call()], CALL_BLOBS)
    found = store.find(call().event.key)
    assert found is not None
    assert isinstance(found.event, Called)
    assert found.event.text == content_hash(CALL_BLOBS[1])
    assert store.blob(found.event.text) == CALL_BLOBS[1]
    store.close()

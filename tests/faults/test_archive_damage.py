"""Damage to the bytes of an archive: named by `verify`, refused when read, never passed over."""

import os
import shutil
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolith.archive.sql import SqlStore
from evolith.archive.verify import verify
from evolith.core.ids import content_hash
from evolith.errors import ArchiveError
from evolith.testing.store_suite import CALL_BLOBS, call, one_of_each, pending

SMALL = "a blob that is too small to be compressed"
LARGE = " ".join(f"word{number}" for number in range(3_000))
CALLS = 60
PAGE = 4096
"""Bytes of a page of the database."""


def contents(run_dir: Path) -> list[object]:
    """Read everything that a run folder holds."""
    store = SqlStore.read(run_dir)
    try:
        blobs = [store.blob(content_hash(text)) for text in (SMALL, LARGE)]
        return [list(store.entries()), blobs, store.pending(), store.hash()]
    finally:
        store.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed archive without a fault."""
    run_dir = tmp_path_factory.mktemp("whole") / "run"
    store = SqlStore.create(run_dir)
    texts = [SMALL, LARGE, *CALL_BLOBS, "output", "{}"]
    anyio.run(store.append, one_of_each(), texts)
    anyio.run(store.append, [call(number, "feedback " * 20) for number in range(1, CALLS)])
    anyio.run(store.send, pending("call/under/way"))
    store.close()
    assert verify(run_dir) == []
    return run_dir


@pytest.fixture
def run_dir(whole: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return shutil.copytree(whole, tmp_path / "run")


def flip(run_dir: Path, offset: int, bits: int = 1) -> None:
    with (run_dir / "archive.db").open("r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ bits]))


def flip_in(run_dir: Path, needle: bytes) -> None:
    raw = (run_dir / "archive.db").read_bytes()
    assert raw.count(needle) == 1
    flip(run_dir, raw.index(needle) + len(needle) // 2)


def told(run_dir: Path) -> str:
    """Return what `verify` says, as one text."""
    return "\n".join(f"{p.where}: {p.what}. {p.fix}." for p in verify(run_dir))


def refused(run_dir: Path) -> str:
    with pytest.raises(ArchiveError) as caught:
        contents(run_dir)
    return str(caught.value)


def assert_refused_or_whole(run_dir: Path, whole: Path) -> None:
    try:
        read = contents(run_dir)
    except ArchiveError:
        return
    assert read == contents(whole)  # the damage is where reading does not go, as in an index


@pytest.mark.parametrize("text", [SMALL, LARGE], ids=["plain", "compressed"])
def test_a_flipped_byte_in_a_blob_is_named(run_dir: Path, text: str) -> None:
    with closing(sqlite3.connect(run_dir / "archive.db")) as database:
        query = "SELECT body FROM blob WHERE sha256 = ?"
        body = database.execute(query, [content_hash(text)]).fetchone()[0]
    flip_in(run_dir, body[:64])
    assert f"blob {content_hash(text)}: it does not have its hash any more" in told(run_dir)
    assert content_hash(text) in refused(run_dir)


def test_a_damaged_blob_is_named_with_the_event_that_needs_it(run_dir: Path) -> None:
    row = content_hash("answer").encode() + b"answer"
    flip(run_dir, (run_dir / "archive.db").read_bytes().index(row) + len(row) - 1)
    key = call().event.key
    assert f"blob {content_hash('answer')} of event {key}: it does not" in told(run_dir)


def test_a_flipped_byte_in_an_event_is_named(run_dir: Path) -> None:
    flip_in(run_dir, b'"slot":"rollout/seed/t7/0/task/0"')
    expected = f"event {call(7).event.key}: it was changed after it was written"
    assert told(run_dir).startswith(expected)
    assert refused(run_dir).startswith(expected)


def test_a_flipped_byte_in_the_time_of_an_event_is_named(run_dir: Path) -> None:
    flip_in(run_dir, struct.pack(">d", call(7).at))
    assert told(run_dir).startswith(f"event {call(7).event.key}: it was changed")


def test_a_flipped_byte_in_a_call_under_way_is_named(run_dir: Path) -> None:
    flip_in(run_dir, b'"model":"openai:gpt"')
    assert "pending call call/under/way: it was changed" in told(run_dir)
    assert "pending call call/under/way" in refused(run_dir)


def test_a_zeroed_page_is_named_whichever_it_is(whole: Path, tmp_path: Path) -> None:
    pages = (whole / "archive.db").stat().st_size // PAGE
    assert pages > 10
    for page in range(pages):
        run_dir = shutil.copytree(whole, tmp_path / str(page))
        with (run_dir / "archive.db").open("r+b") as file:
            file.seek(page * PAGE)
            file.write(bytes(PAGE))
        assert told(run_dir), f"page {page}"
        assert_refused_or_whole(run_dir, whole)


def test_events_on_a_zeroed_page_are_named_and_the_others_are_not(run_dir: Path) -> None:
    raw = (run_dir / "archive.db").read_bytes()
    page = raw.index(b'"slot":"rollout/seed/t30/0/task/0"') // PAGE
    with (run_dir / "archive.db").open("r+b") as file:
        file.seek(page * PAGE)
        file.write(bytes(PAGE))
    text = told(run_dir)
    assert f"archive.db: Page {page + 1}" in text
    assert f"event {call(30).event.key}: it cannot be read" in text
    lost = [number for number in range(1, CALLS) if call(number).event.key in text]
    assert 0 < len(lost) < 20
    assert len(lost) == text.count("it cannot be read")


def test_a_cut_database_is_named(run_dir: Path) -> None:
    size = (run_dir / "archive.db").stat().st_size
    os.truncate(run_dir / "archive.db", size // 2 // PAGE * PAGE)
    assert "archive.db" in told(run_dir)
    assert refused(run_dir)


@pytest.mark.parametrize("junk", [b"", b"not a database" * 1_000], ids=["empty", "junk"])
def test_a_file_that_is_no_archive_is_named(run_dir: Path, junk: bytes) -> None:
    (run_dir / "archive.db").write_bytes(junk)
    assert "archive.db" in told(run_dir)
    assert "archive.db" in refused(run_dir)


def test_a_missing_event_is_named(run_dir: Path) -> None:
    with closing(sqlite3.connect(run_dir / "archive.db")) as database, database:
        database.execute("DELETE FROM event WHERE seq = 20")
    assert "the event before it is missing: it has number 21, not 20" in told(run_dir)


def test_a_missing_blob_is_named_with_the_event_that_needs_it(run_dir: Path) -> None:
    with closing(sqlite3.connect(run_dir / "archive.db")) as database, database:
        database.execute("DELETE FROM blob WHERE sha256 = ?", [content_hash("output")])
    text = told(run_dir)
    assert f"blob {content_hash('output')} of event rollout/seed/t1/0: it is missing" in text


def test_values_of_a_wrong_type_are_named(run_dir: Path) -> None:
    with closing(sqlite3.connect(run_dir / "archive.db")) as database, database:
        database.execute("UPDATE blob SET sha256 = x'00', body = 'text' WHERE packed")
        database.execute("UPDATE event SET at = 'soon' WHERE seq = 3")
        database.execute("UPDATE event SET body = 5 WHERE seq = 4")
        database.execute("UPDATE event SET digest = 1.5 WHERE seq = 5")
        database.execute("UPDATE pending SET body = 'text'")
    text = told(run_dir)
    assert text.count("changed after it was written") == 4
    assert "does not have its hash any more" in text
    assert refused(run_dir)


@settings(max_examples=80, deadline=None)
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_no_flipped_bit_is_passed_over(
    place: float, bit: int, whole: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    run_dir = shutil.copytree(whole, tmp_path_factory.mktemp("flipped") / "run")
    flip(run_dir, int(place * (run_dir / "archive.db").stat().st_size), 1 << bit)
    if not verify(run_dir):
        assert contents(run_dir) == contents(whole)  # nothing stands where the bit was
    assert_refused_or_whole(run_dir, whole)


@pytest.mark.parametrize("quoted", [b"NULL", b"TABLE"])
def test_a_damaged_schema_is_named(run_dir: Path, quoted: bytes) -> None:
    offset = (run_dir / "archive.db").read_bytes().index(quoted)
    flip(run_dir, offset + len(quoted) - 1, 128)  # no UTF-8 any more, in SQLite's message too
    assert "archive.db is damaged" in told(run_dir)
    assert "archive.db is damaged" in refused(run_dir)

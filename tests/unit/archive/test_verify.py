from pathlib import Path

import anyio
import pytest

from evolith.archive.sql import SqlStore
from evolith.archive.verify import verify
from evolith.core.ids import content_hash
from evolith.errors import ArchiveError, UsageError
from evolith.testing.store_suite import CALL_BLOBS, call, one_of_each


def test_a_whole_archive_has_no_problem(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path)
    assert verify(tmp_path) == []
    anyio.run(store.append, one_of_each(), [*CALL_BLOBS, "{}", "output"])
    assert verify(tmp_path) == []  # next to the process that writes it
    store.close()
    assert verify(tmp_path) == []


def test_checking_changes_nothing(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path)
    anyio.run(store.append, one_of_each())
    store.close()
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    verify(tmp_path)
    assert {path: path.read_bytes() for path in before} == before


def test_a_folder_without_a_run_is_refused_and_no_problem_of_an_archive(tmp_path: Path) -> None:
    for place, what in (
        (tmp_path, r"there is no archive\.db in it"),
        (tmp_path / "nowhere", "there is no such folder"),
    ):
        with pytest.raises(UsageError, match=what):
            verify(place)


def test_every_blob_that_an_event_names_must_be_there(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path)
    anyio.run(store.append, [call(1), call(2)], CALL_BLOBS[:1])
    store.close()
    [problem] = verify(tmp_path)
    assert problem.what == "it is missing"
    assert problem.where == f"blob {content_hash(CALL_BLOBS[1])} of event {call(1).event.key}"


def test_events_that_do_not_fit_together_are_named(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path)
    rollout = one_of_each()[5]
    anyio.run(store.append, [rollout], ["output"])
    store.close()
    [problem] = verify(tmp_path)
    assert problem.where == f"event {rollout.event.key}"
    assert problem.what == "it names candidate seed, which is not recorded"


def test_many_events_are_all_checked(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path)
    entries = [call(number) for number in range(1_100)]
    anyio.run(store.append, [*entries, one_of_each()[5]], [*CALL_BLOBS, "output"])
    store.close()
    assert [problem.where for problem in verify(tmp_path)] == ["event rollout/seed/t1/0"]


def test_a_tally_that_holds_no_number_is_named_and_the_rest_is_checked(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path)
    anyio.run(store.append, [one_of_each()[5]], ["output"])
    store.close()
    (tmp_path / "archive.tally").write_text("many")
    assert [problem.what for problem in verify(tmp_path)] == [
        "archive.tally holds no number",
        "it names candidate seed, which is not recorded",
    ]
    with pytest.raises(ArchiveError, match=r"Delete archive\.tally"):
        SqlStore.read(tmp_path)

import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from evolith.archive.reading import reading
from evolith.archive.sql import SqlStore
from evolith.archive.verify import verify
from evolith.errors import ArchiveError
from evolith.testing.store_suite import ODD_TEXTS, call, one_of_each


def written(run_dir: Path) -> Path:
    """Write a run with an event of every kind, odd texts in it, and more calls than a page."""
    store = SqlStore.create(run_dir)
    calls = [call(number, text) for number, text in enumerate(ODD_TEXTS, 100)]
    calls += [call(number, money="0.0003") for number in range(1_000, 1_600)]
    anyio.run(store.append, [*one_of_each(), *calls])
    store.close()
    return run_dir


def test_a_report_reads_the_same_state_as_everybody_else(tmp_path: Path) -> None:
    run_dir = written(tmp_path)
    with reading(run_dir) as usual, reading(run_dir, quickly=True) as quick:
        assert quick.state == usual.state
        assert quick.state.total.calls == 607
        assert quick.rollout("seed", "t1", 0) == usual.rollout("seed", "t1", 0) is not None


@pytest.mark.parametrize(
    "damage",
    [
        "body = CAST('no event' AS BLOB)",
        "body = CAST('{}' AS BLOB)",
        'body = CAST(\'{"kind":"call"}\' AS BLOB)',
        "body = CAST('[1]' AS BLOB)",
        "body = 'text'",
        "at = 'noon'",
        'body = CAST(replace(CAST(body AS TEXT), \'"tokens_in":10\', \'"tokens_in":"x"\') AS BLOB)',
    ],
)
def test_an_event_that_cannot_be_read_is_told(tmp_path: Path, damage: str) -> None:
    run_dir = written(tmp_path)
    with closing(sqlite3.connect(run_dir / "archive.db")) as database, database:
        database.execute(f"UPDATE event SET {damage} WHERE key = ?", [call(1_100).event.key])
    with pytest.raises(ArchiveError, match="an event was changed after it was written"):
        read(run_dir, quickly=True)
    with pytest.raises(ArchiveError, match="it was changed after it was written"):
        read(run_dir, quickly=False)


def test_a_changed_figure_is_told_by_verify_although_a_report_reads_on(tmp_path: Path) -> None:
    run_dir = written(tmp_path)
    key = call(1_100).event.key
    figure = "CAST(replace(CAST(body AS TEXT), '\"tokens_in\":10', '\"tokens_in\":99') AS BLOB)"
    with closing(sqlite3.connect(run_dir / "archive.db")) as database, database:
        database.execute(f"UPDATE event SET body = {figure} WHERE key = ?", [key])
    read(run_dir, quickly=True)
    told = [problem.what for problem in verify(run_dir) if problem.where == f"event {key}"]
    assert told == ["it was changed after it was written"]


def read(run_dir: Path, *, quickly: bool) -> int:
    with reading(run_dir, quickly=quickly) as archive:
        return archive.state.total.calls

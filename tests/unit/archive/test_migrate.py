import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest
from sqlalchemy import Connection

from evolith.archive.sql import SqlStore
from evolith.archive.verify import verify
from evolith.core.events import SCHEMA_VERSION
from evolith.errors import ArchiveError
from evolith.testing.store_suite import CALL_BLOBS, call

OLDER = SCHEMA_VERSION - 1


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    store = SqlStore.create(tmp_path)
    anyio.run(store.append, [call(1), call(2)], CALL_BLOBS)
    store.close()
    return tmp_path


def set_schema(run_dir: Path, schema: int) -> None:
    with closing(sqlite3.connect(run_dir / "archive.db")) as database, database:
        database.execute("UPDATE meta SET schema_version = ?, evolith_version = '9.9.9'", [schema])


def schema_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as database:
        return int(database.execute("SELECT schema_version FROM meta").fetchone()[0])


def add_a_column(connection: Connection) -> None:
    """Be the step that a later schema may need."""
    connection.exec_driver_sql("ALTER TABLE event ADD COLUMN note TEXT NOT NULL DEFAULT 'none'")


def columns(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        return [row[1] for row in database.execute("PRAGMA table_info(event)")]


def test_an_archive_of_a_newer_evolith_is_refused(run_dir: Path) -> None:
    set_schema(run_dir, SCHEMA_VERSION + 1)
    for opening in (SqlStore.open, SqlStore.read):
        with pytest.raises(ArchiveError) as caught:
            opening(run_dir)
        assert f"has schema {SCHEMA_VERSION + 1} of Evolith 9.9.9" in str(caught.value)
        assert "Update Evolith" in str(caught.value)
    [problem] = verify(run_dir)
    assert problem.fix == "update Evolith"
    assert schema_of(run_dir / "archive.db") == SCHEMA_VERSION + 1


def test_an_older_archive_is_brought_up_to_date_after_it_was_copied(run_dir: Path) -> None:
    set_schema(run_dir, OLDER)
    store = SqlStore.open(run_dir, steps={OLDER: add_a_column})
    assert list(store.entries()) == [call(1), call(2)]
    anyio.run(store.append, [call(3)])
    store.close()
    assert schema_of(run_dir / "archive.db") == SCHEMA_VERSION
    assert "note" in columns(run_dir / "archive.db")
    copy = run_dir / f"archive.db.schema-{OLDER}"
    assert schema_of(copy) == OLDER
    assert "note" not in columns(copy)
    assert verify(run_dir) == []
    SqlStore.open(run_dir).close()  # no steps are needed any more


def test_the_copy_is_the_archive_as_it_was(
    run_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    set_schema(run_dir, OLDER)
    SqlStore.open(run_dir, steps={OLDER: add_a_column}).close()
    restored = tmp_path_factory.mktemp("restored")
    (run_dir / f"archive.db.schema-{OLDER}").rename(restored / "archive.db")
    set_schema(restored, SCHEMA_VERSION)
    store = SqlStore.open(restored)
    assert list(store.entries()) == [call(1), call(2)]
    store.close()


def test_a_step_that_fails_leaves_the_archive_as_it_was(run_dir: Path) -> None:
    def fail(connection: Connection) -> None:
        add_a_column(connection)
        connection.exec_driver_sql("SELECT 1 FROM nowhere")

    set_schema(run_dir, OLDER)
    for _ in range(2):  # the copy that is there already is no hindrance
        with pytest.raises(ArchiveError, match="no such table: nowhere"):
            SqlStore.open(run_dir, steps={OLDER: fail})
    assert schema_of(run_dir / "archive.db") == OLDER
    assert "note" not in columns(run_dir / "archive.db")
    SqlStore.open(run_dir, steps={OLDER: add_a_column}).close()
    assert verify(run_dir) == []


def test_an_archive_that_is_too_old_is_refused(run_dir: Path) -> None:
    set_schema(run_dir, OLDER - 1)
    with pytest.raises(ArchiveError, match=f"cannot read schema {OLDER - 1} any more") as caught:
        SqlStore.open(run_dir, steps={OLDER: add_a_column})
    assert "Resume the run with the Evolith that began it" in str(caught.value)
    assert not list(run_dir.glob("archive.db.schema-*"))


def test_an_older_archive_is_not_changed_by_reading(run_dir: Path) -> None:
    set_schema(run_dir, OLDER)
    with pytest.raises(ArchiveError, match=f"this Evolith reads schema {SCHEMA_VERSION}"):
        SqlStore.read(run_dir)
    [problem] = verify(run_dir)
    assert "resume the run" in problem.fix
    assert schema_of(run_dir / "archive.db") == OLDER

"""Connections to `archive.db`: one that writes, any number that read.

SQLite before 3.51.3 can damage a database when two connections write or checkpoint at once, so the
writer is the only one that does either.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import NullPool

from evolith.archive.tally import FILE as TALLY
from evolith.errors import ArchiveError, UsageError

FILE = "archive.db"

_WRITER = (
    "journal_mode = WAL",
    "synchronous = FULL",  # a commit is on the disk when it returns
    "fullfsync = ON",  # the same on macOS, whose fsync stops at the drive's cache
)
_READER = ("query_only = ON", "wal_autocheckpoint = 0")


@contextmanager
def writer(run_dir: Path) -> Iterator[Connection]:
    """Open the one connection that writes, creating the database where there is none."""
    with _connect(f"{_uri(run_dir)}?mode=rwc", _WRITER) as connection:
        yield connection


@contextmanager
def reader(run_dir: Path) -> Iterator[Connection]:
    """Open a connection that reads, next to a writer or on a read-only disk."""
    uri = f"{_uri(run_dir)}?mode=ro"
    if not os.access(run_dir, os.W_OK, effective_ids=True) and not _has_log(run_dir):
        uri += "&immutable=1"  # SQLite would else insist on making a log file
    with _connect(uri, _READER) as connection:
        yield connection


def must_exist(run_dir: Path) -> None:
    """Refuse a folder without an archive.

    Raises:
        UsageError: it is missing, or it is not the folder of a run.
        ArchiveError: it is, but has lost its archive.
    """
    if (run_dir / FILE).is_file():
        return
    if (run_dir / TALLY).is_file():
        raise ArchiveError(
            f"there is no {FILE} in it, although it is the folder of a run",
            where=str(run_dir),
            fix="restore the whole folder from a copy",
        )
    raise UsageError(
        f"there is no {FILE} in it" if run_dir.is_dir() else "there is no such folder",
        where=str(run_dir),
        fix="name the folder of a run",
    )


def _has_log(run_dir: Path) -> bool:
    log = run_dir / f"{FILE}-wal"
    return log.exists() and log.stat().st_size > 0


def _uri(run_dir: Path) -> str:
    return (run_dir.absolute() / FILE).as_uri()


@contextmanager
def _connect(uri: str, pragmas: tuple[str, ...]) -> Iterator[Connection]:
    def connect() -> sqlite3.Connection:
        raw = sqlite3.connect(uri, uri=True, isolation_level="IMMEDIATE", check_same_thread=False)
        try:
            # A damaged text must reach the check of its row instead of failing the whole query.
            raw.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
            for pragma in pragmas:
                raw.execute(f"PRAGMA {pragma}")
        except BaseException:
            raw.close()
            raise
        return raw

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)
    with engine.connect() as connection:
        yield connection

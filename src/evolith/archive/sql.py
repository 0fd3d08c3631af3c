"""The store of a run: one SQLite database in its folder."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, insert, inspect, select

from evolith.archive import connect
from evolith.archive.contention import Contention
from evolith.archive.faults import teaching
from evolith.archive.group import Write
from evolith.archive.lock import run_lock
from evolith.archive.migrate import STEPS, Step, check_current, migrate
from evolith.archive.quick import Columns
from evolith.archive.rows import (
    RESTORE,
    entry_of,
    event_row,
    pending_of,
    pending_row,
    storable,
    text_of,
)
from evolith.archive.state import Entry
from evolith.archive.store import Pending, hash_of_digests
from evolith.archive.tables import META, TABLES
from evolith.archive.tally import Tally, acknowledged, check_tail
from evolith.archive.writer import Writer
from evolith.core.event import Event
from evolith.core.events import SCHEMA_VERSION
from evolith.errors import ArchiveError

PAGE = 500
"""Events that are read at once."""

# Written out: what SQLAlchemy does with each row of its own statements takes longer than SQLite.
_FIND = "SELECT key, kind, body, digest, at, seconds, crc FROM event WHERE key = ?"
_AFTER = (
    "SELECT key, kind, body, digest, at, seconds, crc, seq FROM event "
    "WHERE seq > ? ORDER BY seq LIMIT ?"
)
_PAGE = "SELECT body, at, seconds, seq FROM event WHERE seq > ? ORDER BY seq LIMIT ?"
_KEYS = "SELECT key FROM event"
_BLOB = "SELECT sha256, packed, body FROM blob WHERE sha256 = ?"
_PENDING = "SELECT call, body, digest FROM pending"
_DIGESTS = "SELECT key, digest, kind FROM event"


class SqlStore:
    """The `Store` of a run folder. Made by `create`, `open` or `read`.

    Writing is done by a thread of its own, reading by a connection of its own, which sees
    everything that was acknowledged. Any thread may read.
    """

    def __init__(
        self, run_dir: Path, reader: Connection, writer: Writer | None, closing: ExitStack
    ) -> None:
        self._run_dir, self._reader, self._writer = run_dir, reader, writer
        self._closing = closing
        self._turn = Lock()

    @classmethod
    def create(cls, run_dir: Path, clock: Callable[[], float] = time.time) -> "SqlStore":
        """Make the archive of a new run and open it for writing.

        Args:
            run_dir: The folder of the run; made where it is missing.
            clock: Returns seconds since the epoch.

        Raises:
            ArchiveError: there is a run in the folder, or it cannot be written.
        """
        with teaching(run_dir):
            run_dir.mkdir(parents=True, exist_ok=True)
            with run_lock(run_dir), connect.writer(run_dir) as connection:
                if inspect(connection).has_table(META.name):
                    raise ArchiveError(
                        "there is a run in this folder already",
                        where=str(run_dir),
                        fix="resume it with `evolith resume`, or choose another folder",
                    )
                connection.rollback()
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                TABLES.create_all(connection)
                about = {"evolith_version": version("evolith"), "created": clock()}
                connection.execute(
                    insert(META).values(id=1, schema_version=SCHEMA_VERSION, writes=0, **about)
                )
                connection.commit()
        return cls.open(run_dir)

    @classmethod
    def open(cls, run_dir: Path, steps: Mapping[int, Step] = STEPS) -> "SqlStore":
        """Open the archive of a run for writing, and bring it to the schema of this Evolith.

        Args:
            run_dir: The folder of the run.
            steps: How to get from an older schema to the next one.

        Raises:
            UsageError: there is no run.
            ArchiveError: another process is at work on it, it is damaged, it cannot be written, or
                it is of a newer Evolith.
        """
        with teaching(run_dir), ExitStack() as stack:
            connect.must_exist(run_dir)
            stack.enter_context(run_lock(run_dir))
            noted = acknowledged(run_dir)
            connection = stack.enter_context(connect.writer(run_dir))
            migrate(connection, run_dir, steps)
            check_tail(run_dir, noted, connection.scalars(select(META.c.writes)).one())
            tally = Tally(run_dir)
            stack.callback(tally.close)
            writer = Writer(connection, run_dir, tally)
            stack.callback(writer.close)
            reader = stack.enter_context(connect.reader(run_dir))
            return cls(run_dir, reader, writer, stack.pop_all())

    @classmethod
    def read(cls, run_dir: Path) -> "SqlStore":
        """Open the archive of a run for reading, next to a process that writes it or to none.

        Raises:
            UsageError: there is no run.
            ArchiveError: it is damaged, or it is of another schema.
        """
        with teaching(run_dir), ExitStack() as stack:
            connect.must_exist(run_dir)
            noted = acknowledged(run_dir)
            reader = stack.enter_context(connect.reader(run_dir))
            check_current(reader, run_dir)
            check_tail(run_dir, noted, reader.scalars(select(META.c.writes)).one())
            return cls(run_dir, reader, None, stack.pop_all())

    async def append(self, entries: Sequence[Entry], blobs: Sequence[str] = ()) -> None:
        """Write events with the blobs that they name; one that ends a call removes its mark."""
        with teaching(self._run_dir):
            rows = [event_row(entry) for entry in entries]
        ended = [entry.event.ends for entry in entries if entry.event.ends is not None]
        await self._write(Write(events=rows, blobs=blobs, ended=ended))

    async def send(self, pending: Pending) -> None:
        """Mark a call as under way, durably, before it is sent."""
        with teaching(self._run_dir):
            row = pending_row(pending)
        await self._write(Write(sent=[row]))

    def pending(self) -> list[Pending]:
        """Return the calls that were under way when an earlier process died."""
        return [pending_of(row) for row in self._rows(_PENDING)]

    async def forget(self, calls: Sequence[str]) -> None:
        """Remove the pending marks of calls that nobody is charged for."""
        with teaching(self._run_dir):
            ended = [storable(call) for call in calls]
        await self._write(Write(ended=ended))

    def entries(self) -> Iterator[Entry]:
        """Yield every event in the order of writing, those that are added meanwhile included."""
        seq = 0
        while rows := self._rows(_AFTER, seq, PAGE):
            yield from (entry_of(row[:-1]) for row in rows)
            seq = rows[-1][-1]

    def pages(self) -> Iterator[Sequence[Columns]]:
        """Yield body, time and duration of every event, unchecked, for `quick_state`."""
        seq = 0
        while rows := self._rows(_PAGE, seq, PAGE):
            yield [row[:-1] for row in rows]
            seq = rows[-1][-1]

    def keys(self) -> Iterator[str]:
        """Yield the key of every event."""
        return (key for (key,) in self._rows(_KEYS))

    def find(self, key: str) -> Entry | None:
        """Return the event with that key, or None."""
        rows = self._rows(_FIND, key)
        return entry_of(rows[0]) if rows else None

    def blob(self, digest: str) -> str:
        """Return the text with that SHA-256."""
        rows = self._rows(_BLOB, digest)
        if not rows:
            raise ArchiveError("it is missing", where=f"blob {digest}", fix=RESTORE)
        return text_of(rows[0])

    def hash(self) -> str:
        """Return the archive hash, from the stored digests; `verify` computes these anew."""
        aside = {
            kind.model_fields["kind"].default for kind in Event.__subclasses__() if kind.session
        }
        return hash_of_digests(
            (key, digest) for key, digest, kind in self._rows(_DIGESTS) if kind not in aside
        )

    def contention(self) -> Contention:
        """Return how much writes have waited; nothing for an archive that is only read."""
        return Contention() if self._writer is None else self._writer.contention()

    def close(self) -> None:
        """Write what is queued and release the lock."""
        with teaching(self._run_dir):
            self._closing.close()

    async def _write(self, write: Write) -> None:
        if self._writer is None:
            raise ArchiveError("the archive was opened for reading only", where=str(self._run_dir))
        await self._writer.write(write)

    def _rows(self, query: str, *values: object) -> Sequence[Any]:
        with self._turn, teaching(self._run_dir):
            result = self._reader.exec_driver_sql(query, values)
            with result:
                return result.cursor.fetchall()  # plain tuples, which take half the time of rows

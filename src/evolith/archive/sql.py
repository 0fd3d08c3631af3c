"""The store of a run: one SQLite database in its folder."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Executable, RowMapping, bindparam, insert, inspect, select

from evolith.archive import connect
from evolith.archive.faults import teaching
from evolith.archive.group import Write
from evolith.archive.lock import run_lock
from evolith.archive.migrate import STEPS, Step, check_current, migrate
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
from evolith.archive.tables import BLOB, EVENT, META, PENDING, TABLES
from evolith.archive.tally import Tally, acknowledged, check_tail
from evolith.archive.writer import Writer
from evolith.core.events import SCHEMA_VERSION, Called, Event
from evolith.errors import ArchiveError

PAGE = 500
"""Events that are read at once."""

_FIND = select(EVENT).where(EVENT.c.key == bindparam("key"))
_AFTER = select(EVENT).where(EVENT.c.seq > bindparam("seq")).order_by(EVENT.c.seq).limit(PAGE)
_BLOB = select(BLOB).where(BLOB.c.sha256 == bindparam("sha256"))


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
            ArchiveError: there is no run, another process is at work on it, it is damaged, it
                cannot be written, or it is of a newer Evolith.
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
            ArchiveError: there is no run, it is damaged, or it is of another schema.
        """
        with teaching(run_dir), ExitStack() as stack:
            connect.must_exist(run_dir)
            noted = acknowledged(run_dir)
            reader = stack.enter_context(connect.reader(run_dir))
            check_current(reader, run_dir)
            check_tail(run_dir, noted, reader.scalars(select(META.c.writes)).one())
            return cls(run_dir, reader, None, stack.pop_all())

    async def append(self, entries: Sequence[Entry], blobs: Sequence[str] = ()) -> None:
        """Write events with the blobs that they name; a `Called` removes its pending mark."""
        with teaching(self._run_dir):
            rows = [event_row(entry) for entry in entries]
        ended = [entry.event.key for entry in entries if isinstance(entry.event, Called)]
        await self._write(Write(events=rows, blobs=blobs, ended=ended))

    async def send(self, pending: Pending) -> None:
        """Mark a call as under way, durably, before it is sent."""
        with teaching(self._run_dir):
            row = pending_row(pending)
        await self._write(Write(sent=[row]))

    def pending(self) -> list[Pending]:
        """Return the calls that were under way when an earlier process died."""
        return [pending_of(row) for row in self._rows(select(PENDING), {})]

    async def forget(self, calls: Sequence[str]) -> None:
        """Remove pending marks, after their loss was recorded."""
        with teaching(self._run_dir):
            ended = [storable(call) for call in calls]
        await self._write(Write(ended=ended))

    def entries(self) -> Iterator[Entry]:
        """Yield every event in the order of writing, those that are added meanwhile included."""
        seq = 0
        while rows := self._rows(_AFTER, {"seq": seq}):
            yield from map(entry_of, rows)
            seq = rows[-1]["seq"]

    def find(self, key: str) -> Entry | None:
        """Return the event with that key, or None."""
        rows = self._rows(_FIND, {"key": key})
        return entry_of(rows[0]) if rows else None

    def blob(self, digest: str) -> str:
        """Return the text with that SHA-256."""
        rows = self._rows(_BLOB, {"sha256": digest})
        if not rows:
            raise ArchiveError("it is missing", where=f"blob {digest}", fix=RESTORE)
        return text_of(rows[0])

    def hash(self) -> str:
        """Return the archive hash, from the stored digests; `verify` computes these anew."""
        aside = [
            kind.model_fields["kind"].default for kind in Event.__subclasses__() if kind.session
        ]
        found = select(EVENT.c.key, EVENT.c.digest).where(EVENT.c.kind.not_in(aside))
        return hash_of_digests((row["key"], row["digest"]) for row in self._rows(found, {}))

    def close(self) -> None:
        """Write what is queued and release the lock."""
        with teaching(self._run_dir):
            self._closing.close()

    async def _write(self, write: Write) -> None:
        if self._writer is None:
            raise ArchiveError("the archive was opened for reading only", where=str(self._run_dir))
        await self._writer.write(write)

    def _rows(self, query: Executable, values: Mapping[str, Any]) -> Sequence[RowMapping]:
        with self._turn, teaching(self._run_dir):
            return self._reader.execute(query, values).mappings().all()

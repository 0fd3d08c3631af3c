"""The one thread that writes: everything that waits for it becomes one transaction."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import perf_counter

import anyio
from sqlalchemy import Connection, bindparam, select
from sqlalchemy.exc import IntegrityError

from evolith.archive.contention import Contention, Meter
from evolith.archive.faults import explain
from evolith.archive.group import Group, Write
from evolith.archive.tables import EVENT, META, PENDING
from evolith.archive.tally import Tally
from evolith.errors import ArchiveError

MOST_TOGETHER = 512
"""Writes that one transaction takes at most, about: all of one turn of a loop stay together."""

MOST_ROWS = 64
"""Rows that one statement inserts at most."""

_RECORDED = select(EVENT.c.key, EVENT.c.digest).where(
    EVENT.c.key.in_(bindparam("keys", expanding=True))
)
# Written out: what SQLAlchemy does with each row of its own statements takes longer than SQLite.
_ADD_EVENTS = "INSERT INTO event (key, kind, body, digest, at, seconds, crc) VALUES {}"
_ADD_BLOBS = "INSERT INTO blob (sha256, packed, body) VALUES {} ON CONFLICT DO NOTHING"
_ADD_CALLS = "INSERT INTO pending (call, body, digest) VALUES {}"
_END_CALL = "DELETE FROM pending WHERE call = ?"
_COUNT = "UPDATE meta SET writes = ?"


@dataclass(eq=False, slots=True)
class _Request:
    write: Write
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[None]
    asked: float
    error: ArchiveError | None = None


class Writer:
    """Writes to an archive from a thread of its own.

    Once a write has failed, every write that waits and every later one fails with its error.

    Args:
        connection: The one that writes; used by the thread alone until `close`.
        run_dir: The folder of the run, for errors.
        tally: Where the number of writes is noted.
    """

    def __init__(self, connection: Connection, run_dir: Path, tally: Tally) -> None:
        self._connection, self._run_dir, self._tally = connection, run_dir, tally
        self._writes = connection.scalars(select(META.c.writes)).one()
        self._under_way = set(connection.scalars(select(PENDING.c.call)))
        connection.rollback()
        tally.note(self._writes)
        self._failure: ArchiveError | None = None
        self._gathering: dict[asyncio.AbstractEventLoop, list[_Request]] = {}
        """What was asked for in the present turn of each event loop."""
        self._queue: SimpleQueue[list[_Request] | None] = SimpleQueue()
        self._meter = Meter()
        self._open = True
        self._gate = Lock()
        self._thread = Thread(target=self._run, name="evolith-archive", daemon=True)
        self._thread.start()

    async def write(self, write: Write) -> None:
        """Return when `write` is durable. A cancelled caller waits for it too: it is under way.

        Raises:
            ArchiveError: it was not written.
        """
        loop = asyncio.get_running_loop()
        request = _Request(write, loop, loop.create_future(), perf_counter())
        with self._gate:
            if not self._open:
                raise ArchiveError("the archive is closed", where=str(self._run_dir))
            if loop not in self._gathering:  # one wake-up of the thread for all of this turn
                self._gathering[loop] = []
                loop.call_soon(self._hand_over, loop)
            self._gathering[loop].append(request)
        with anyio.CancelScope(shield=True):
            await request.done

    def contention(self) -> Contention:
        """Return how much writes have waited for each other."""
        return self._meter.read(self._queue.qsize())

    def close(self) -> None:
        """Write what waits, then end the thread."""
        with self._gate:
            self._open = False
            loops = list(self._gathering)
        for loop in loops:
            self._hand_over(loop)
        self._queue.put(None)
        self._thread.join()

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._gate:
            if requests := self._gathering.pop(loop, None):
                self._queue.put(requests)

    def _run(self) -> None:
        while batch := self._next():
            try:
                if self._failure is None:
                    self._commit(batch)
            except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must learn it
                self._failure = explain(error, self._run_dir)
            now = perf_counter()
            self._meter.add([now - request.asked for request in batch])
            self._answer(batch)

    def _next(self) -> list[_Request]:
        """Return all that waits, in order; nothing at the end."""
        batch: list[_Request] = []
        requests = self._queue.get()
        with suppress(Empty):
            while requests is not None:
                batch += requests
                if len(batch) >= MOST_TOGETHER:
                    return batch
                requests = self._queue.get_nowait()
            self._queue.put(None)  # the end: seen again once this batch is written
        return batch

    def _commit(self, batch: Sequence[_Request]) -> None:
        try:
            self._transact(batch, {})
        except IntegrityError:  # something is recorded already: rare, so it is looked up only now
            self._transact(batch, self._recorded(batch))
        self._writes += 1
        self._tally.note(self._writes)

    def _transact(self, batch: Sequence[_Request], recorded: dict[str, str]) -> None:
        group = Group(recorded)
        for request in batch:
            try:
                request.error = None
                group.add(request.write)
            except ArchiveError as error:
                request.error = error
        with self._connection.begin():
            self._store(group)
        self._under_way.difference_update(group.calls)
        self._under_way.update(call for call, row in group.calls.items() if row is not None)

    def _recorded(self, batch: Sequence[_Request]) -> dict[str, str]:
        """Return the digests of those events of a batch that are stored already."""
        keys = [row.key for request in batch for row in request.write.events]
        found: dict[str, str] = {}
        for start in range(0, len(keys), MOST_TOGETHER):
            some = {"keys": keys[start : start + MOST_TOGETHER]}
            found.update((key, digest) for key, digest in self._connection.execute(_RECORDED, some))
        self._connection.rollback()  # only read
        return found

    def _store(self, group: Group) -> None:
        ended = [(call,) for call in group.calls if call in self._under_way]
        under_way = [row for row in group.calls.values() if row is not None]
        if ended:
            self._connection.exec_driver_sql(_END_CALL, ended)
        self._add(_ADD_EVENTS, group.events)
        self._add(_ADD_BLOBS, list(group.blobs.values()))
        self._add(_ADD_CALLS, under_way)
        self._connection.exec_driver_sql(_COUNT, (self._writes + 1,))

    def _add(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        """Insert many rows at once: each statement waits until the event loop lets go of Python.

        By powers of two, so that few statements are to be prepared.
        """
        start = 0
        while left := len(rows) - start:
            size = min(MOST_ROWS, 1 << (left.bit_length() - 1))
            some = rows[start : start + size]
            places = f"({', '.join('?' * len(some[0]))})"
            values = tuple(chain.from_iterable(some))
            self._connection.exec_driver_sql(statement.format(", ".join([places] * size)), values)
            start += size

    def _answer(self, batch: Sequence[_Request]) -> None:
        answers = defaultdict(list)
        for request in batch:
            answers[request.loop].append((request.done, self._failure or request.error))
        for loop, those in answers.items():
            with suppress(RuntimeError):  # the loop is closed: nobody waits there any more
                loop.call_soon_threadsafe(_resolve, those)


def _resolve(answers: Sequence[tuple[asyncio.Future[None], ArchiveError | None]]) -> None:
    for done, error in answers:
        if done.done():  # cancelled
            continue
        if error is None:
            done.set_result(None)
        else:  # one copy each: an exception that is raised twice grows the traceback of both
            done.set_exception(ArchiveError(error.message, where=error.where, fix=error.fix))

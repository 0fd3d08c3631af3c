"""The one thread that writes: everything that waits for it becomes one transaction."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread

import anyio
from sqlalchemy import Connection, bindparam, delete, select, update
from sqlalchemy.dialects.sqlite import insert

from evolith.archive.faults import explain
from evolith.archive.group import Group, Write
from evolith.archive.tables import BLOB, EVENT, META, PENDING
from evolith.archive.tally import Tally
from evolith.errors import ArchiveError

MOST_TOGETHER = 512
"""Calls that one transaction takes at most."""

_RECORDED = select(EVENT.c.key, EVENT.c.digest).where(
    EVENT.c.key.in_(bindparam("keys", expanding=True))
)
_ADD_EVENT = insert(EVENT)
_ADD_BLOB = insert(BLOB).on_conflict_do_nothing()
_END_CALL = delete(PENDING).where(PENDING.c.call == bindparam("ended"))
_SEND_CALL = insert(PENDING)
_COUNT = update(META).values(writes=bindparam("count"))


@dataclass(eq=False, slots=True)
class _Request:
    write: Write
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[None]
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
        connection.rollback()
        tally.note(self._writes)
        self._failure: ArchiveError | None = None
        self._queue: SimpleQueue[_Request | None] = SimpleQueue()
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
        request = _Request(write, loop, loop.create_future())
        with self._gate:
            if not self._open:
                raise ArchiveError("the archive is closed", where=str(self._run_dir))
            self._queue.put(request)
        with anyio.CancelScope(shield=True):
            await request.done

    def close(self) -> None:
        """Write what waits, then end the thread."""
        with self._gate:
            self._open = False
            self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while batch := self._next():
            try:
                if self._failure is None:
                    self._commit(batch)
            except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must learn it
                self._failure = explain(error, self._run_dir)
            self._answer(batch)

    def _next(self) -> list[_Request]:
        """Return all that waits, in order; nothing at the end."""
        batch: list[_Request] = []
        request = self._queue.get()
        with suppress(Empty):
            while request is not None:
                batch.append(request)
                if len(batch) == MOST_TOGETHER:
                    return batch
                request = self._queue.get_nowait()
            self._queue.put(None)  # the end: seen again once this batch is written
        return batch

    def _commit(self, batch: Sequence[_Request]) -> None:
        with self._connection.begin():
            group = Group(self._recorded(batch))
            for request in batch:
                try:
                    group.add(request.write)
                except ArchiveError as error:
                    request.error = error
            self._store(group)
        self._tally.note(self._writes)

    def _recorded(self, batch: Sequence[_Request]) -> dict[str, str]:
        """Return the digests of those events of a batch that are stored already."""
        keys = [row["key"] for request in batch for row in request.write.events]
        found: dict[str, str] = {}
        for start in range(0, len(keys), MOST_TOGETHER):
            some = {"keys": keys[start : start + MOST_TOGETHER]}
            found.update((key, digest) for key, digest in self._connection.execute(_RECORDED, some))
        return found

    def _store(self, group: Group) -> None:
        ended = [{"ended": call} for call in group.calls]
        under_way = [row for row in group.calls.values() if row is not None]
        for statement, rows in (
            (_ADD_EVENT, group.events),
            (_ADD_BLOB, list(group.blobs.values())),
            (_END_CALL, ended),
            (_SEND_CALL, under_way),
        ):
            if rows:
                self._connection.execute(statement, rows)
        self._writes += 1
        self._connection.execute(_COUNT, {"count": self._writes})

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

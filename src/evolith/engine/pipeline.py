"""Stages as worker pools, joined by bounded queues, ending at the one committer.

An item is taken from the source when one of `in_flight` places is free, travels through the stages,
and gives its place back once it is committed. `in_flight = 1` is the synchronous schedule: the same
code, one item at a time.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from evolith.errors import ArchiveError, ProviderError, RunStopped, UserCodeFailed

T = TypeVar("T")

HALTING = (RunStopped, ProviderError, ArchiveError, UserCodeFailed)
"""What ends a run instead of one item."""


@dataclass(frozen=True, slots=True)
class Stage(Generic[T]):
    """A queue and a pool of workers that do one kind of work.

    Args:
        name: For reports.
        work: Takes an item and returns it advanced.
        workers: Size of the pool.
        capacity: Items that may wait in the queue; a full queue holds the stage before it back.
    """

    name: str
    work: Callable[[T], Awaitable[T]]
    workers: int = 1
    capacity: int = 1


class Journey(Protocol[T]):
    """What the engine must know about the items that it carries."""

    async def source(self) -> T | None:
        """Begin an item, or say that there is nothing more to do."""
        ...

    def settled(self, item: T) -> bool:
        """Say whether the item's fate is known, so that it goes straight to the committer."""
        ...

    def failed(self, item: T, error: Exception) -> T:
        """Return the item as settled by an exception of a stage."""
        ...

    async def commit(self, item: T) -> None:
        """Decide about a settled or finished item and record it. Called for one at a time."""
        ...


async def drive(journey: Journey[T], stages: Sequence[Stage[T]], in_flight: int) -> None:
    """Run items until the source has no more, or something ends the run.

    An exception of a stage settles its item as failed and never stops the stage. What ends the run
    (`HALTING`) lets the other items go on as far as they can, then is raised; items under way are
    neither committed nor lost, since a later session begins them again from what is recorded.

    Args:
        journey: What the items are.
        stages: In the order of travel.
        in_flight: Most items between source and committer.

    Raises:
        RunStopped: a budget or a request to stop.
        ProviderError: a provider refuses the run.
        ArchiveError: something cannot be recorded.
    """
    engine = _Engine(journey, anyio.Semaphore(in_flight))
    async with anyio.create_task_group() as group:
        feed, inbox = anyio.create_memory_object_stream[T](in_flight)
        commits, outbox = anyio.create_memory_object_stream[T](in_flight)
        group.start_soon(engine.feed, feed)
        for stage in stages:
            send, receive = anyio.create_memory_object_stream[T](stage.capacity)
            engine.start(group, stage, inbox, send, commits)
            inbox = receive
        group.start_soon(engine.forward, inbox, commits)
        group.start_soon(engine.commit, outbox)
    if engine.halted is not None:
        raise engine.halted


class _Engine(Generic[T]):
    def __init__(self, journey: Journey[T], places: anyio.Semaphore) -> None:
        self._journey = journey
        self._places = places
        self.halted: Exception | None = None

    def start(
        self,
        group: TaskGroup,
        stage: Stage[T],
        inbox: MemoryObjectReceiveStream[T],
        following: MemoryObjectSendStream[T],
        commits: MemoryObjectSendStream[T],
    ) -> None:
        for _ in range(stage.workers):
            group.start_soon(self._work, stage, inbox.clone(), following.clone(), commits.clone())
        inbox.close()
        following.close()

    async def feed(self, feed: MemoryObjectSendStream[T]) -> None:
        with feed:
            while (item := await self._next()) is not None:
                await feed.send(item)

    async def _next(self) -> T | None:
        await self._places.acquire()
        if self.halted is not None:
            return None
        try:
            return await self._journey.source()
        except HALTING as error:
            self._halt(error)
            return None

    async def _work(
        self,
        stage: Stage[T],
        inbox: MemoryObjectReceiveStream[T],
        following: MemoryObjectSendStream[T],
        commits: MemoryObjectSendStream[T],
    ) -> None:
        with inbox, following, commits:
            async for waiting in inbox:
                try:
                    item = await stage.work(waiting)
                except HALTING as error:
                    self._halt(error)
                    self._places.release()
                    continue
                except Exception as error:  # noqa: BLE001 - an item's failure is data
                    item = self._journey.failed(waiting, error)
                target = commits if self._journey.settled(item) else following
                await target.send(item)

    async def forward(
        self, inbox: MemoryObjectReceiveStream[T], commits: MemoryObjectSendStream[T]
    ) -> None:
        with inbox, commits:
            async for item in inbox:
                await commits.send(item)

    async def commit(self, outbox: MemoryObjectReceiveStream[T]) -> None:
        with outbox:
            async for item in outbox:
                try:
                    await self._journey.commit(item)
                except HALTING as error:
                    self._halt(error)
                self._places.release()

    def _halt(self, error: Exception) -> None:
        if self.halted is None or isinstance(error, ArchiveError):
            self.halted = error

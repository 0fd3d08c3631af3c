"""A stage: a queue and a pool of workers that do one kind of work."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import anyio
from anyio.abc import TaskGroup

from evolith.engine.figures import Meter, StageFigures
from evolith.engine.queue import Queue

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Workers:
    """Bounds of a pool.

    Args:
        least: Workers that a stage always has.
        most: Workers that it never exceeds.
        start: Workers that it begins with; `most` unless given.
    """

    least: int
    most: int
    start: int | None = None

    def clip(self, wanted: int) -> int:
        """Return the nearest number inside the bounds."""
        return max(self.least, min(self.most, wanted))


@dataclass(frozen=True, slots=True)
class Stage(Generic[T]):
    """What a stage does, and how wide it is.

    Args:
        name: For reports and settings.
        work: Takes an item and returns it advanced.
        workers: Size of the pool.
        capacity: Items that may wait in the queue; a full queue holds the stage before it back.
    """

    name: str
    work: Callable[[T], Awaitable[T]]
    workers: Workers = Workers(1, 1)
    capacity: int = 1


@dataclass(frozen=True, slots=True)
class _Waiting(Generic[T]):
    item: T
    since: float


class Pool(Generic[T]):
    """The workers of a stage at work. An item that a worker took is finished, come what may.

    Args:
        stage: What to do.
        finish: Takes an item as it came, and what became of it: the item advanced, or the
            exception that the work raised.
        begin: Gives a worker of the first stage its next item, when the worker is free and not
            before; None ends the worker. Other stages take from their queue.
    """

    def __init__(
        self,
        stage: Stage[T],
        finish: Callable[[T, T | Exception], Awaitable[None]],
        begin: Callable[[], Awaitable[T | None]] | None = None,
    ) -> None:
        self.stage = stage
        self._finish, self._begin = finish, begin
        self._queue: Queue[_Waiting[T]] = Queue(stage.capacity)
        self._places = anyio.CapacityLimiter(stage.workers.start or stage.workers.most)
        self._meter = Meter(stage.name, anyio.current_time())

    def start(self, group: TaskGroup) -> None:
        """Start the workers."""
        for _ in range(self.stage.workers.most):
            group.start_soon(self._run)

    async def put(self, item: T, *, urgent: bool) -> None:
        """Queue an item for this stage."""
        await self._queue.put(_Waiting(item, anyio.current_time()), urgent=urgent)
        self._meter.arrive(len(self._queue))

    async def close(self) -> None:
        """Let the workers end once the queue is empty."""
        await self._queue.close()

    def resize(self, workers: int) -> None:
        """Set the number of workers, inside the bounds; one too many leaves after its item."""
        self._places.total_tokens = self.stage.workers.clip(workers)

    def figures(self) -> StageFigures:
        """Return what the stage did so far."""
        workers = int(self._places.total_tokens)
        return self._meter.figures(anyio.current_time(), workers, len(self._queue))

    async def _run(self) -> None:
        while True:
            async with self._places:
                waiting = await self._next()
                if waiting is None:
                    return
                start = anyio.current_time()
                self._meter.begin(start, waiting.since)
                result: T | Exception
                try:
                    result = await self.stage.work(waiting.item)
                except Exception as error:  # noqa: BLE001 - what it means is the engine's matter
                    result = error
                finally:
                    self._meter.end(anyio.current_time(), start)
            await self._finish(waiting.item, result)

    async def _next(self) -> _Waiting[T] | None:
        if self._begin is None:
            return await self._queue.get()
        item = await self._begin()
        if item is None:
            return None
        self._meter.arrive(0)
        return _Waiting(item, anyio.current_time())

"""Stages as worker pools, joined by bounded queues, ending at the one committer.

A worker of the first stage begins an item when it is free and one of `in_flight` places is: so
what an item is made from is decided as late as can be. The item travels through the stages and
gives its place back once it is committed. `in_flight = 1` is the synchronous schedule: the same
code, one item at a time. (FlashEvolve's asynchronous execution; binding late is ours.)
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

import anyio

from evolith.engine.control import Control, Fixed
from evolith.engine.figures import StageFigures
from evolith.engine.stage import Pool, Stage, Workers
from evolith.errors import ArchiveError, ProviderError, RunStopped, UserCodeFailed

T = TypeVar("T")

HALTING = (RunStopped, ProviderError, ArchiveError, UserCodeFailed)
"""What ends a run instead of one item."""
COMMIT = "commit"
"""Name of the last stage, whose one worker decides."""


class Journey(Protocol[T]):
    """What the engine must know about the items that it carries."""

    async def source(self) -> T | None:
        """Begin an item, or say that there is nothing to begin now.

        It is asked again after the next decision; with nothing under way, the run is at its end.
        """
        ...

    def urgent(self, item: T) -> bool:
        """Say whether the item goes before others that wait for the same stage."""
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


@dataclass(slots=True)
class Pulse:
    """Reads the engine while it runs."""

    read: Callable[[], tuple[StageFigures, ...]] = tuple
    """Returns the figures of all stages, the committer last; empty before the start."""


async def drive(
    journey: Journey[T],
    stages: Sequence[Stage[T]],
    in_flight: int,
    control: Control | None = None,
    pulse: Pulse | None = None,
) -> None:
    """Run items until nothing is left to begin and nothing is under way, or the run is ended.

    An exception of a stage settles its item as failed and never stops the stage. What ends the run
    (`HALTING`) lets the other items go on as far as they can, then is raised; items under way are
    neither committed nor lost, since a later session begins them again from what is recorded.

    Args:
        journey: What the items are.
        stages: In the order of travel.
        in_flight: Most items between source and committer.
        control: Moves workers between the stages; none are moved unless given.
        pulse: Is given the means to read the engine.

    Raises:
        RunStopped: a budget or a request to stop.
        ProviderError: a provider refuses the run.
        ArchiveError: something cannot be recorded.
        Exception: what source or committer raised: no item is passed over that cannot be decided.
    """
    engine = _Engine(journey, stages, in_flight)
    if pulse is not None:
        pulse.read = engine.figures
    async with anyio.create_task_group() as group:
        for pool in engine.pools:
            pool.start(group)
        group.start_soon((control or Fixed()).watch, engine.pools[:-1])
        await engine.ended.wait()
        for pool in engine.pools:
            await pool.close()
        group.cancel_scope.cancel()
    if engine.halted is not None:
        raise engine.halted


class _Engine(Generic[T]):
    def __init__(self, journey: Journey[T], stages: Sequence[Stage[T]], in_flight: int) -> None:
        self._journey = journey
        self._places = anyio.Semaphore(in_flight)
        self._turn = anyio.Lock()
        self._decision = anyio.Event()
        self._under_way = 0
        self.ended = anyio.Event()
        self.halted: Exception | None = None
        commit = Stage(COMMIT, self._commit, Workers(1, 1), in_flight)
        self.pools = [
            Pool(stage, self._route(place), None if place else self._begin)
            for place, stage in enumerate([*map(self._unless_settled, stages), commit])
        ]

    def _unless_settled(self, stage: Stage[T]) -> Stage[T]:
        """Return a stage that does nothing for an item whose fate became known in its queue."""

        async def work(item: T) -> T:
            return item if self._journey.settled(item) else await stage.work(item)

        return replace(stage, work=work)

    def figures(self) -> tuple[StageFigures, ...]:
        return tuple(pool.figures() for pool in self.pools)

    async def _begin(self) -> T | None:
        await self._places.acquire()
        async with self._turn:
            while self.halted is None and not self.ended.is_set():
                decision = self._decision
                try:
                    item = await self._journey.source()
                except Exception as error:  # noqa: BLE001 - raised by `drive`, as itself
                    self._halt(error)
                    break
                if item is not None:
                    self._under_way += 1
                    return item
                if not self._under_way:
                    break
                await decision.wait()
        if not self._under_way:
            self.ended.set()
        return None

    def _route(self, place: int) -> Callable[[T, T | Exception], Awaitable[None]]:
        """Return what takes an item from the stage at `place` to where it goes next."""

        async def route(item: T, result: T | Exception) -> None:
            last = len(self.pools) - 1
            if isinstance(result, HALTING) or (place == last and isinstance(result, Exception)):
                self._halt(result)
            if place == last or isinstance(result, HALTING):
                self._leave()
                return
            if isinstance(result, Exception):
                result = self._journey.failed(item, result)
            following = last if self._journey.settled(result) else place + 1
            await self.pools[following].put(result, urgent=self._journey.urgent(result))

        return route

    async def _commit(self, item: T) -> T:
        await self._journey.commit(item)
        return item

    def _leave(self) -> None:
        self._under_way -= 1
        self._places.release()
        self._decision.set()
        self._decision = anyio.Event()
        if self.halted is not None and not self._under_way:
            self.ended.set()

    def _halt(self, error: Exception) -> None:
        if self.halted is None or isinstance(error, ArchiveError):
            self.halted = error

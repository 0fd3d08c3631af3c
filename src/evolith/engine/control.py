"""How workers move between stages while a run goes on."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import anyio

from evolith.engine.figures import StageFigures
from evolith.engine.stage import Pool


class Control(Protocol):
    """A rule that sets the size of each pool, inside its bounds."""

    async def watch(self, pools: Sequence[Pool[Any]]) -> None:
        """Adjust the pools for as long as the engine runs; cancelled at its end."""
        ...


class Fixed:
    """Moves nobody."""

    async def watch(self, pools: Sequence[Pool[Any]]) -> None:
        """Return at once."""


@dataclass(frozen=True, slots=True)
class Median:
    """The rule of FlashEvolve.

    Every `tau` seconds the rate of each stage, in items handed on per second, is compared with the
    median of all stages: under half of it, the stage gets a worker; over twice, it loses one.

    Args:
        tau: Seconds between two looks.
    """

    tau: float

    async def watch(self, pools: Sequence[Pool[Any]]) -> None:
        """Adjust the pools for as long as the engine runs."""
        before = [pool.figures() for pool in pools]
        while True:
            await anyio.sleep(self.tau)
            now = [pool.figures() for pool in pools]
            rates = [rate(old, new) for old, new in zip(before, now, strict=True)]
            for pool, figures, change in zip(pools, now, median_rule(rates), strict=True):
                pool.resize(figures.workers + change)
            before = now


def rate(before: StageFigures, now: StageFigures) -> float:
    """Return the items that a stage handed on per second between two readings."""
    seconds = now.seconds - before.seconds
    return (now.done - before.done) / seconds if seconds > 0 else 0.0


def median_rule(rates: Sequence[float]) -> list[int]:
    """Return the change of workers for each rate: one more, one fewer, or none."""
    middle = statistics.median(rates)
    return [(rate < middle / 2) - (rate > middle * 2) for rate in rates]


@dataclass(slots=True)
class _Track:
    """What the proportional-integral rule remembers of a stage."""

    arrivals: float
    service: float
    integral: float = 0.0


@dataclass(frozen=True, slots=True)
class ProportionalIntegral:
    """Gives each stage the workers that keep its queue empty, and no more.

    A stage needs `arrival rate x seconds an item takes` workers to keep up (Little's law). Items
    that wait add to that in proportion, workers that have nothing to do take away, and the sum of
    both over time adds what the estimate misses. The sum stands still while a pool is at one of its
    bounds (anti-windup). Rates and durations are smoothed exponentially, so that a burst does not
    move workers.

    Args:
        tau: Seconds between two looks.
        gain: Workers for each waiting item, or fewer for each idle worker.
        reset: Share of `gain` that their sum over time weighs, per look.
        smoothing: Weight of the newest reading, in (0, 1].
    """

    tau: float
    gain: float = 0.5
    reset: float = 0.1
    smoothing: float = 0.3
    _tracks: dict[str, _Track] = field(default_factory=dict)

    async def watch(self, pools: Sequence[Pool[Any]]) -> None:
        """Adjust the pools for as long as the engine runs."""
        before = [pool.figures() for pool in pools]
        while True:
            await anyio.sleep(self.tau)
            now = [pool.figures() for pool in pools]
            for pool, old, new in zip(pools, before, now, strict=True):
                pool.resize(self.wanted(old, new, pool.stage.workers.clip))
            before = now

    def wanted(self, old: StageFigures, new: StageFigures, clip: "Clip") -> int:
        """Return the workers that a stage should have after the reading `new`.

        Args:
            old: The reading before.
            new: The reading now.
            clip: Brings a number inside the bounds of the pool.
        """
        arrivals = (new.arrived - old.arrived) / max(new.seconds - old.seconds, 1e-9)
        done = new.done - old.done
        service = (new.worked - old.worked) / done if done else None
        track = self._tracks.get(new.name)
        if track is None:
            if service is None:
                return new.workers  # nothing is known yet of how long an item takes
            track = self._tracks[new.name] = _Track(arrivals, service)
        track.arrivals += self.smoothing * (arrivals - track.arrivals)
        if service is not None:
            track.service += self.smoothing * (service - track.service)
        error = new.waiting - max(0, new.workers - new.busy)
        steady = track.arrivals * track.service + self.gain * error
        wanted = round(steady + track.integral)
        if clip(wanted) == wanted:
            track.integral += self.gain * self.reset * error
        return clip(wanted)


class Clip(Protocol):
    """Brings a number of workers inside the bounds of a pool."""

    def __call__(self, wanted: int) -> int:
        """Return the nearest number inside the bounds."""
        ...

"""What a stage did and how long it stood idle: the figures that control and reports read."""

from collections import deque
from dataclasses import dataclass, field

LATEST = 2048
"""Items whose waits are kept for the percentiles."""


@dataclass(frozen=True, slots=True)
class StageFigures:
    """A stage since the start of the session.

    Args:
        name: The stage.
        workers: Workers it may use now.
        busy: Workers at work now.
        waiting: Items in its queue now.
        arrived: Items that came in.
        done: Items that it handed on.
        waited: Seconds that items spent in its queue, added up.
        worked: Seconds that workers spent on items, added up.
        idle: Seconds in which no worker had anything to do.
        longest: The longest queue so far.
        wait_p50: Median wait of the latest items, in seconds.
        wait_p99: 99th percentile of the same.
        seconds: Age of the figures.
    """

    name: str
    workers: int
    busy: int
    waiting: int
    arrived: int
    done: int
    waited: float
    worked: float
    idle: float
    longest: int
    wait_p50: float
    wait_p99: float
    seconds: float


@dataclass(slots=True)
class Meter:
    """Counts for one stage, by a clock that every call brings along.

    Args:
        name: The stage.
        start: When counting began, in seconds of that clock.
    """

    name: str
    start: float
    busy: int = 0
    arrived: int = 0
    done: int = 0
    waited: float = 0.0
    worked: float = 0.0
    longest: int = 0
    _waits: deque[float] = field(default_factory=lambda: deque(maxlen=LATEST))
    _idle: float = 0.0
    _idle_since: float = field(init=False)

    def __post_init__(self) -> None:
        self._idle_since = self.start

    def arrive(self, waiting: int) -> None:
        """Count an item that came into the queue, which is now `waiting` long."""
        self.arrived += 1
        self.longest = max(self.longest, waiting)

    def begin(self, now: float, since: float) -> None:
        """Count the beginning of work on an item that waited since `since`."""
        if self.busy == 0:
            self._idle += now - self._idle_since
        self.busy += 1
        self.waited += now - since
        self._waits.append(now - since)

    def end(self, now: float, since: float) -> None:
        """Count the end of work that began at `since`."""
        self.busy -= 1
        self.done += 1
        self.worked += now - since
        if self.busy == 0:
            self._idle_since = now

    def figures(self, now: float, workers: int, waiting: int) -> StageFigures:
        """Return the figures so far."""
        waits = sorted(self._waits) or [0.0]
        return StageFigures(
            name=self.name,
            workers=workers,
            busy=self.busy,
            waiting=waiting,
            arrived=self.arrived,
            done=self.done,
            waited=self.waited,
            worked=self.worked,
            idle=self._idle + (now - self._idle_since if self.busy == 0 else 0.0),
            longest=self.longest,
            wait_p50=waits[len(waits) // 2],
            wait_p99=waits[len(waits) * 99 // 100],
            seconds=now - self.start,
        )

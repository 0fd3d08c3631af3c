"""Providers that take so many requests in so many seconds, counted in the three usual ways.

A test asks them on a clock of its own, or behind a real server::

    limited = Limited(FixedWindow(60, 60.0), time.monotonic)
    with serving(limited.reply) as server:
        ask(server.url)
    assert limited.most_refused() <= 1
"""

import math
from collections import Counter, deque
from collections.abc import Callable
from typing import Protocol

from evolith.testing.fault_server import Received, Reply, completion, status


class Limit(Protocol):
    """A way to count requests."""

    seconds: float
    """Length of the time that requests are counted over."""

    def ask(self, now: float) -> float:
        """Take a request, and return 0, or refuse it, and return the seconds to wait."""
        ...


class FixedWindow:
    """Counts anew at the beginning of each window, the first of which begins at 0."""

    def __init__(self, requests: int, seconds: float) -> None:
        self.requests, self.seconds = requests, seconds
        self._taken: Counter[int] = Counter()

    def ask(self, now: float) -> float:
        """Take a request or refuse it."""
        window = math.floor(now / self.seconds)
        if self._taken[window] >= self.requests:
            return (window + 1) * self.seconds - now
        self._taken[window] += 1
        return 0.0


class SlidingWindow:
    """Counts the requests of the last so many seconds, at each moment."""

    def __init__(self, requests: int, seconds: float) -> None:
        self.requests, self.seconds = requests, seconds
        self._taken: deque[float] = deque()

    def ask(self, now: float) -> float:
        """Take a request or refuse it."""
        while self._taken and self._taken[0] <= now - self.seconds:
            self._taken.popleft()
        if len(self._taken) >= self.requests:
            return self._taken[0] + self.seconds - now
        self._taken.append(now)
        return 0.0


class TokenBucket:
    """Has a bucket that is full at first, gives one for each request and fills up drop by drop."""

    def __init__(self, requests: int, seconds: float) -> None:
        self.requests, self.seconds = requests, seconds
        self._left, self._at = float(requests), 0.0

    def ask(self, now: float) -> float:
        """Take a request or refuse it."""
        rate = self.requests / self.seconds
        self._left = min(self.requests, self._left + (now - self._at) * rate)
        self._at = now
        if self._left < 1:
            return (1 - self._left) / rate
        self._left -= 1
        return 0.0


class Limited:
    """A provider with a limit, which remembers whom it refused.

    Args:
        limit: How it counts.
        clock: Returns seconds; counted from the first request.
    """

    def __init__(self, limit: Limit, clock: Callable[[], float]) -> None:
        self.limit, self._clock = limit, clock
        self._began: float | None = None
        self.taken: list[float] = []
        """When each request was taken."""
        self.refused: list[tuple[float, str]] = []
        """When each request was refused, and what it asked."""

    def ask(self, text: str) -> int:
        """Take a request, and return 0, or refuse it, and return the seconds for `Retry-After`."""
        if self._began is None:
            self._began = self._clock()
        now = self._clock() - self._began
        wait = self.limit.ask(now)
        if wait:
            self.refused.append((now, text))
        else:
            self.taken.append(now)
        return math.ceil(wait)

    def reply(self, received: Received) -> Reply:
        """Answer a request to a server."""
        wait = self.ask(str(received.body["messages"]))
        return status(429, "slow down", retry_after=str(wait)) if wait else completion("yes")

    def most_refused(self) -> int:
        """Return how often a request was refused in one window, at most."""
        seconds = self.limit.seconds
        refusals = Counter((math.floor(at / seconds), text) for at, text in self.refused)
        return max(refusals.values(), default=0)

"""Spaces calls: evenly for a limit that is known, as refusals teach for one that is not."""

import math
from dataclasses import dataclass

DOUBLING = 20.0
"""Seconds without a refusal after which a learned pace has doubled; it grows with their square, so
slowly near the limit and fast far below it."""


@dataclass(slots=True)
class Pace:
    """Lets so much through a second, evenly.

    Args:
        rate: Calls, or tokens, a second.
        burst: Seconds of silence that may be made up for at once.
        due: When the next may go, on anyio's clock.
    """

    rate: float
    burst: float
    due: float = -math.inf

    def wait(self, now: float) -> float:
        """Return the seconds until the next may go."""
        return max(0.0, self.due - now)

    def take(self, amount: float, now: float) -> None:
        """Let `amount` through; what follows waits until the rate has room again."""
        self.due = max(self.due, now - self.burst) + amount / self.rate

    def give_back(self, amount: float) -> None:
        """Take back what was let through but not used; less than 0 for what was used as well."""
        self.due -= amount / self.rate


class LearnedPace:
    """The pace of a limit that nobody has stated.

    Each time that the provider has made everybody wait, it is known how many calls it took since
    the time before, and for how long these had to last. That holds for a limit that begins anew
    each minute, for one that looks back a minute, and for one that fills up drop by drop.
    """

    def __init__(self) -> None:
        self._pace: Pace | None = None
        self.learned: float | None = None
        """Calls a second by the last lesson; None before the first."""
        self._lessons = 0
        self._since: float | None = None
        self._opened_at = -math.inf
        self._taken = 0

    def rate(self, now: float) -> float | None:
        """Return the calls a second that are let through, or None before the first refusal."""
        if self.learned is None:
            return None
        return self.learned * (1.0 + ((now - self._opened_at) / DOUBLING) ** 2)

    def wait(self, now: float) -> float:
        """Return the seconds until the next call may go."""
        return 0.0 if self._pace is None else self._pace.wait(now)

    def sent(self, now: float) -> None:
        """Count a call that goes out."""
        self._taken += 1
        if self._pace is not None:
            self._pace.rate = self.rate(now) or self._pace.rate
            self._pace.take(1, now)

    def came_back(self, now: float) -> None:
        """Note when the first call ended: only then is it sure that the provider has counted it."""
        if self._since is None:
            self._since = now

    def refused(self, sent_at: float) -> None:
        """Take back a call that the provider did not take."""
        self._taken -= sent_at >= self._opened_at

    def learn(self, opens_at: float) -> None:
        """Learn from a wait that ends at `opens_at`, before the first call after it."""
        seconds = opens_at - (opens_at if self._since is None else self._since)
        if self._taken > 0 and seconds > 0:
            # A short time tells little, so no lesson takes away more than half of what is known;
            # but the first one counts in what the provider had to spare at the beginning.
            known = self.learned / 2 if self.learned and self._lessons > 1 else 0.0
            self._lessons += 1
            self.learned = max(known, self._taken / seconds)
            self._pace = Pace(self.learned, burst=seconds, due=opens_at)
            self._since = self._opened_at = opens_at
            self._taken = 0

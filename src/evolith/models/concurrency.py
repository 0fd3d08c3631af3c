"""How many calls to make at once: more while answers come, half when the provider has too many."""

import math

SHRINK = 0.5
"""What is left of the concurrency after a refusal."""
GROWTH = 1.0
"""Calls by which it grows with each round of answers, or with each single answer where refusals say
how long to wait: there the pace holds the rate, and too few calls at once would waste it."""


class Concurrency:
    """The concurrency in use with one provider key. It begins at the most that is allowed.

    Args:
        most: Calls at once that are never passed.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._level = float(most)
        self._shrunk_at = -math.inf
        self._paced = False

    @property
    def level(self) -> int:
        """Calls that may be under way now."""
        return int(self._level)

    def answered(self) -> None:
        """Grow after an answer."""
        step = GROWTH if self._paced else GROWTH / self._level
        self._level = min(self._most, self._level + step)

    def refused(self, sent_at: float, now: float, *, paced: bool) -> None:
        """Shrink after a refusal, once for all calls that were under way at that moment.

        Args:
            sent_at: When the refused call was sent.
            now: The time, on the same clock.
            paced: Whether the provider said how long to wait.
        """
        self._paced = paced
        if sent_at > self._shrunk_at:
            self._level = max(1.0, self._level * SHRINK)
            self._shrunk_at = now

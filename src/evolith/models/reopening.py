"""Who follows after a wait: one call goes first, and then ever more while none is refused."""

import math

SOON = 0.25
"""Seconds beyond twice the time of the last refusal, after which a call counts as taken."""


class Reopening:
    """Lets callers follow each other after a provider has made everybody wait.

    One goes first. As soon as it is answered, or no refusal has come for so long that none will,
    two may be on their way, then four, and so on. So a provider that is still busy gets one more
    call and not all, and one that takes minutes for an answer does not hold up the others.
    """

    def __init__(self) -> None:
        self._sent: int | None = None
        self._answered = 0
        self._first_at = 0.0
        self._refusal = 0.0

    def begin(self) -> None:
        """Begin with nobody on the way."""
        self._sent, self._answered = 0, 0

    def wait(self, now: float) -> float:
        """Return the seconds until another call may follow, if none is answered meanwhile."""
        if not self._sent or self._sent <= 2 * self._answered:
            return 0.0
        doublings = math.log2(self._sent + 1)
        return max(0.0, self._first_at + (SOON + 2 * self._refusal) * doublings - now)

    def sent(self, now: float) -> None:
        """Count a call that goes out."""
        if self._sent is not None:
            self._first_at = self._first_at if self._sent else now
            self._sent += 1

    def answered(self, sent_at: float) -> None:
        """Count an answer."""
        self._answered += sent_at >= self._first_at

    def refused(self, sent_at: float, now: float) -> None:
        """Note how long a refusal takes to come."""
        self._refusal = now - sent_at

"""Handing work on before it is complete (FlashEvolve's speculative stage completion)."""

import math
from dataclasses import dataclass

STEP = 0.1
"""By how much an adaptive share grows after a retraction."""
EASE = 0.02
"""By how much it shrinks after a confirmation: five confirmations make up for one retraction."""
LEAST, MOST = 0.1, 1.0
"""Bounds of an adaptive share."""
ROUNDING = 1e-9
"""What a product may be off by, so that 55% of 20 is 11 and not 12."""
START = 0.5
"""Share that an adaptive one begins with."""


@dataclass(slots=True)
class Share:
    """The share of its requests that must be back before a stage hands a tentative item on.

    Args:
        alpha: In (0, 1]; 1 hands nothing on early.
        adaptive: Whether it follows the share of tentative items that were confirmed.
    """

    alpha: float
    adaptive: bool = False

    @property
    def off(self) -> bool:
        """Whether nothing is ever handed on early."""
        return self.alpha == 1.0 and not self.adaptive

    def enough(self, back: int, total: int) -> bool:
        """Say whether `back` of `total` requests are enough, and not simply all.

        An adaptive share is content with all but one: else it could grow to where nothing is handed
        on, and learn nothing any more.
        """
        wanted = math.ceil(self.alpha * total - ROUNDING)
        if self.adaptive:
            wanted = max(1, min(wanted, total - 1))
        return wanted <= back < total

    def settle(self, *, confirmed: bool) -> None:
        """Learn how a tentative item ended: the share shrinks while they are confirmed."""
        if self.adaptive:
            step = -EASE if confirmed else STEP
            self.alpha = max(LEAST, min(MOST, self.alpha + step))


def share(alpha: float | str) -> Share:
    """Return the share for a setting: a number, or `adaptive`."""
    if isinstance(alpha, str):
        return Share(START, adaptive=True)
    return Share(alpha)

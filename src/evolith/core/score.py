"""What a scorer says of one trajectory."""

import math
from dataclasses import dataclass

from evolith.errors import EvolithError


@dataclass(frozen=True, slots=True)
class Score:
    """A verdict.

    Args:
        value: 0 (worst) to 1 (best).
        passed: Whether the task counts as solved.
        feedback: Text for the reflection model. It never holds the hidden answer unless the user
            asked for that.

    Raises:
        EvolithError: `value` is not a number in [0, 1].
    """

    value: float
    passed: bool
    feedback: str = ""

    def __post_init__(self) -> None:
        if not math.isfinite(self.value) or not 0.0 <= self.value <= 1.0:
            raise EvolithError(
                f"a score must be a number from 0 to 1, not {self.value!r}",
                fix="scale the score, and return 0 where nothing can be computed",
            )

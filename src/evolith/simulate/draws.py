"""Random draws of a simulation: each by what it is for, never by the order of the asking."""

import hashlib
import math
import random
from dataclasses import dataclass


def draws_for(*parts: object) -> random.Random:
    """Return the generator of one call, by all that the call depends on."""
    name = "|".join(map(str, parts))
    return random.Random(hashlib.sha256(name.encode()).digest())  # noqa: S311 - not for secrets


@dataclass(frozen=True, slots=True)
class Latency:
    """How long calls take: lognormal, so that a few take far longer than most.

    Args:
        mean: In seconds.
        sigma: Of the logarithm; 0 for calls that all take the mean.
    """

    mean: float
    sigma: float

    def of(self, seed: int, model: str, text: str, nth: int) -> float:
        """Return the seconds of one call.

        Args:
            seed: Of the world.
            model: Who is asked.
            text: What is asked.
            nth: How often that was asked before.
        """
        middle = math.log(self.mean) - self.sigma**2 / 2
        return draws_for("lat", seed, model, text, nth).lognormvariate(middle, self.sigma)

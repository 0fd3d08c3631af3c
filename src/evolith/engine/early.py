"""When an evaluation may end early: the rest can no longer change the decision, or hardly will."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

NORMAL = NormalDist()
LEVEL = NORMAL.inv_cdf(0.975)
"""Standard deviations of a two-sided 95% interval."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the mean difference over all tasks will be, from those that are back.

    Args:
        probability: That it ends above zero.
        low: Lower end of its 95% interval.
        high: Upper end.
    """

    probability: float
    low: float
    high: float


def predict(
    differences: Sequence[float], remaining: Sequence[float], most: float = 1.0
) -> Prediction:
    """Predict the mean difference between a child and what it must beat, over all tasks.

    Each difference that is back is child minus rival on one task. For each remaining task the
    child's score lies in [0, `most`]. Differences are taken as draws of one distribution with a
    unit-variance pseudo-observation at zero; the sum of those to come is then predicted as normal,
    with the uncertainty of the estimated mean, and cut to what is possible at all.

    Args:
        differences: Child minus rival on the tasks that are back.
        remaining: The rival's scores on the tasks that are not.
        most: The highest score of a task.
    """
    done, left = len(differences), len(remaining)
    total, sofar = done + left, math.fsum(differences)
    worst = sofar - math.fsum(remaining)
    best = sofar + most * left - math.fsum(remaining)
    if not left:
        return Prediction(float(sofar > 0), sofar / total, sofar / total)
    mean = sofar / (done + 1)
    spread = (math.fsum((d - mean) ** 2 for d in differences) + mean**2 + 1.0) / (done + 1)
    deviation = math.sqrt(left * spread + left**2 * spread / (done + 1))
    centre = sofar + left * mean
    probability = NORMAL.cdf(centre / deviation)  # keeps a small chance apart from none
    if best <= 0:
        probability = 0.0
    elif worst > 0:
        probability = 1.0
    low, high = (
        max(worst, min(best, centre + side * LEVEL * deviation)) / total for side in (-1, 1)
    )
    return Prediction(probability, low, high)

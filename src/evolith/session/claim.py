"""The score that a run claims for its champion, where the search did not run it whole."""

import math
from collections import Counter
from functools import partial

from evolith.core.candidate import SEED
from evolith.core.overlap import Claimed
from evolith.core.task import Split
from evolith.engine.gather import gather
from evolith.session.setup import Parts

LEVEL = 1.96
"""Standard deviations of a two-sided 95% interval."""
LEAST = 0.01
"""Variance of one answer at least, so that a run of equal answers claims no certainty."""


def missing_claim_rollouts(parts: Parts) -> int:
    """Return how many rollouts the claim still needs, at the present champion."""
    repeats = parts.evolution.workshop.algorithm.claim_repeats
    if not repeats:
        return 0
    state, tasks = parts.archive.state, len(parts.tasks.val)
    names = {SEED, state.champion or SEED}
    missing = sum(max(0, tasks - len(state.values(name, Split.VAL))) for name in names)
    return missing + (repeats * tasks if state.unstable else 0)


async def claim(parts: Parts) -> None:
    """Run seed and champion on the whole validation split, and state the champion's score.

    Where answers differ, the score comes from fresh rollouts alone, which came after the last
    decision: those that the champion was chosen by were lucky more often than not.

    Raises:
        RunStopped: the budget does not hold it.
    """
    archive, repeats = parts.archive, parts.evolution.workshop.algorithm.claim_repeats
    champion, claims = archive.state.champion, archive.state.overlap.claims
    if not repeats or champion is None or (claims and claims[-1].candidate == champion):
        return
    for name in dict.fromkeys((SEED, champion)):
        await parts.runner.evaluate(archive.candidate(name), parts.tasks.val, Split.VAL)
    rows = archive.state.rollouts[champion, Split.VAL]
    chosen_by = set(list(rows)[: archive.state.chosen_by])  # in the order of recording
    fresh = archive.state.unstable > 0
    if fresh:
        done = Counter(key[0] for key in chosen_by if rows[key].value is not None)
        await gather(
            [
                partial(
                    parts.runner.evaluate,
                    archive.candidate(champion),
                    [task],
                    Split.VAL,
                    done[task.id] + repeats,
                )
                for task in parts.tasks.val
            ]
        )
    values = [
        row.value
        for key, row in rows.items()
        if row.value is not None and not (fresh and key in chosen_by)
    ]
    mean = math.fsum(values) / len(values) if values else 0.0
    half = LEVEL * math.sqrt(max(mean * (1 - mean), LEAST) / max(1, len(values))) if fresh else 0.0
    await archive.append(
        Claimed(
            number=len(claims) + 1,
            candidate=champion,
            mean=mean,
            low=max(0.0, mean - half),
            high=min(1.0, mean + half),
            rollouts=len(values),
            fresh=fresh,
        )
    )

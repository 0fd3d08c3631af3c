"""The figures of a report: pure functions of the scores of one split, by task.

Every function takes the *scored* attempts of each task. A rollout that failed (provider, harness,
sandbox, ...) has no score, so it is simply absent: it is never a 0, and a task whose attempts all
failed is left out of every mean. Failures are counted apart.

All intervals are at 95% and treat the task as the unit that is drawn: attempts of one task are
alike, so more attempts do not count as more evidence than they are.
"""

import random
from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import NormalDist, fmean

import numpy as np
from scipy.special import bdtr, betaincinv

from evolith.report.data import Estimate

LEVEL = 0.95
"""Coverage of every interval."""
RESAMPLES = 2000
"""Bootstrap samples; the ends of an interval then wobble by about a fiftieth of its width."""
FEW = 10
"""Below this many tasks the bootstrap is too narrow, so a closed formula is used."""
_CELLS = 1_000_000  # numbers that a bootstrap batch holds in memory at once


def avg_at_k(scores: Mapping[str, Sequence[float]], rng: random.Random) -> Estimate | None:
    """Return Avg@k: the mean over tasks of the mean score over the task's attempts.

    `Avg@k = 1/n * sum_t (1/k_t * sum_a score[t, a])`, with n tasks that have a score and k_t scored
    attempts of task t.

    The interval: with one 0/1 score a task it is that of a share (`share`); otherwise a percentile
    bootstrap over tasks. Where the bootstrap cannot see (fewer than `FEW` tasks, or all task means
    equal) it is again that of a share with the same mean, which is on the safe side: no scores in
    [0, 1] vary more than coin flips with their mean do.

    Args:
        scores: Scored attempts by task, each in [0, 1].
        rng: Draws the bootstrap's seed.

    Returns:
        The mean with its interval, or None where no task has a score.
    """
    tasks = [scores[task] for task in sorted(scores) if scores[task]]
    means = [fmean(values) for values in tasks]
    coins = all(len(values) == 1 and values[0] in (0.0, 1.0) for values in tasks)
    if coins or _blind(means):
        return share(sum(means), len(means))
    return _bootstrap(means, rng)


def pass_at_k(passes: Mapping[str, Sequence[bool]]) -> Estimate | None:
    """Return the empirical Pass@k: the share of tasks that passed in at least one attempt.

    `Pass@k = 1/n * #{t : any_a passed[t, a]}`, over the n tasks that have a scored attempt. With
    one attempt it is the share of tasks solved. The interval is that of a share.
    """
    tried = [any(attempts) for attempts in passes.values() if attempts]
    return share(sum(tried), len(tried))


def paired_difference(
    before: Mapping[str, Sequence[float]],
    after: Mapping[str, Sequence[float]],
    rng: random.Random,
) -> Estimate | None:
    """Return how much higher `after` scores than `before`, over the tasks that both have.

    `1/n * sum_t (mean_a after[t, a] - mean_a before[t, a])`, in [-1, 1]. Pairing takes out how hard
    the tasks are, so the interval is narrower than that of two separate means.

    The interval is a percentile bootstrap over tasks. Where it cannot see (fewer than `FEW` tasks,
    or all differences equal), it is the normal interval of the differences and two half-weight
    pseudo-tasks at +1 and -1 (Agresti and Min 2005), which does not shrink to a point.

    Returns:
        The difference with its interval, or None where no task has a score on both sides.
    """
    common = sorted(task for task in before if before[task] and after.get(task))
    steps = [fmean(after[task]) - fmean(before[task]) for task in common]
    if not steps:
        return None
    return _adjusted(steps) if _blind(steps) else _bootstrap(steps, rng)


def solved(passes: Mapping[str, Sequence[bool]]) -> frozenset[str]:
    """Return the tasks that passed in more than half of their scored attempts.

    With one attempt: the tasks that passed. The majority keeps luck out of gains and losses: a task
    that passes once in 8 attempts is not solved.
    """
    return frozenset(t for t, attempts in passes.items() if 2 * sum(attempts) > len(attempts))


def turnover(
    before: Mapping[str, Sequence[bool]], after: Mapping[str, Sequence[bool]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tasks gained (solved after, not before) and lost (the reverse), sorted.

    Only tasks with a scored attempt on both sides count: a task that failed is not lost.
    """
    common = {task for task in before if before[task] and after.get(task)}
    was, now = solved(before) & common, solved(after) & common
    return tuple(sorted(now - was)), tuple(sorted(was - now))


def mcnemar(gained: int, lost: int) -> float:
    """Return the p of McNemar's exact test, two-sided.

    How likely a split of `gained + lost` changed tasks at least this uneven is, when each is as
    likely to be a gain as a loss: `min(1, 2 * P(X <= min(gained, lost)))` with
    `X ~ Binomial(gained + lost, 1/2)`; 1 where nothing changed.
    """
    changed = gained + lost
    return min(1.0, 2 * float(bdtr(min(gained, lost), changed, 0.5))) if changed else 1.0


def share(successes: float, n: int) -> Estimate | None:
    """Return `successes / n` with Jeffreys' interval, or None for n = 0.

    The interval is the middle 95% of `Beta(successes + 1/2, n - successes + 1/2)`, with the lower
    end at 0 for no success and the upper end at 1 for no miss (Brown, Cai and DasGupta 2001). It
    covers well from a few tasks on, and a sum of scores may stand for the successes.
    """
    if n == 0:
        return None
    value = min(1.0, successes / n)
    hits, misses = successes + 0.5, max(0.0, n - successes) + 0.5
    low, high = (float(betaincinv(hits, misses, q)) for q in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return _estimate(value, low if value > 0 else 0.0, high if value < 1 else 1.0, n)


def _blind(values: Sequence[float]) -> bool:
    return len(values) < FEW or min(values) == max(values)


def _bootstrap(values: Sequence[float], rng: random.Random) -> Estimate:
    # By hand: the one in scipy.stats gives the same, after a second of importing that module.
    drawn, tasks, n = np.random.default_rng(rng.getrandbits(64)), np.asarray(values), len(values)
    batch = max(1, _CELLS // n)
    sizes = (min(batch, RESAMPLES - start) for start in range(0, RESAMPLES, batch))
    means = [tasks[drawn.integers(0, n, (size, n))].mean(axis=1) for size in sizes]
    low, high = np.quantile(np.concatenate(means), ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return _estimate(fmean(values), low, high, n)


def _adjusted(steps: Sequence[float]) -> Estimate:
    n = len(steps) + 2
    centre = sum(steps) / n
    spread = sqrt(((sum(step * step for step in steps) + 1) / n - centre * centre) / n)
    reach = NormalDist().inv_cdf((1 + LEVEL) / 2) * spread
    low, high = max(-1.0, centre - reach), min(1.0, centre + reach)
    return _estimate(fmean(steps), low, high, len(steps))


def _estimate(value: float, low: float, high: float, n: int) -> Estimate:
    return Estimate(value, min(float(low), value), max(float(high), value), n)

"""Seed and champion on one split."""

import random
from collections import Counter, defaultdict

from evolith.archive.state import State
from evolith.core.candidate import SEED
from evolith.core.ids import rng_for
from evolith.core.task import Split
from evolith.report.costs import Calls, task_cost
from evolith.report.data import Claim, Comparison, Estimate, Measured, SplitReport
from evolith.report.measures import avg_at_k, mcnemar, paired_difference, pass_at_k, turnover


def split_report(state: State, split: Split, calls: Calls) -> SplitReport:
    """Return how seed and champion did on a split."""
    champion = state.champion
    better = champion if champion != SEED else None
    both = better is not None and all(_scored(state, c, split) for c in (SEED, better))
    return SplitReport(
        split=split,
        tasks=state.run.counts.get(split, 0) if state.run else 0,
        seed=_measured(state, SEED, split, calls),
        champion=_measured(state, better, split, calls) if better else None,
        comparison=_comparison(state, better, split) if better and both else None,
    )


def estimate(state: State, candidate: str, split: Split) -> Estimate | None:
    """Return a candidate's Avg@k on a split."""
    return avg_at_k(_scores(state, candidate, split), _rng(candidate, split))


def claim(state: State) -> Claim | None:
    """Return the score that the run claims for its champion, if it claims one."""
    claims = state.overlap.claims
    if not claims or claims[-1].candidate != state.champion:
        return None
    last = claims[-1]
    return Claim(Estimate(last.mean, last.low, last.high, last.rollouts), last.fresh)


def _measured(state: State, candidate: str, split: Split, calls: Calls) -> Measured | None:
    rows = list(state.rollouts.get((candidate, split), {}).values())
    if not rows:
        return None
    scores = _scores(state, candidate, split)
    return Measured(
        candidate=candidate,
        tasks=len(scores),
        attempts=max((len(values) for values in scores.values()), default=0),
        avg=avg_at_k(scores, _rng(candidate, split)),
        passed=pass_at_k(_passes(state, candidate, split)),
        failures=dict(sorted(Counter(r.boundary for r in rows if r.boundary).items())),
        cost=task_cost(rows, calls),
    )


def _comparison(state: State, champion: str, split: Split) -> Comparison:
    gained, lost = turnover(_passes(state, SEED, split), _passes(state, champion, split))
    return Comparison(
        difference=paired_difference(
            _scores(state, SEED, split),
            _scores(state, champion, split),
            _rng(f"{SEED} {champion}", split),
        ),
        gained=gained,
        lost=lost,
        p_value=mcnemar(len(gained), len(lost)),
    )


def _scores(state: State, candidate: str, split: Split) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for row in state.rollouts.get((candidate, split), {}).values():
        if row.value is not None:
            found[row.task].append(row.value)
    return found


def _passes(state: State, candidate: str, split: Split) -> dict[str, list[bool]]:
    found: dict[str, list[bool]] = defaultdict(list)
    for row in state.rollouts.get((candidate, split), {}).values():
        if row.value is not None:
            found[row.task].append(bool(row.passed))
    return found


def _scored(state: State, candidate: str, split: Split) -> bool:
    return bool(_scores(state, candidate, split))


def _rng(about: str, split: Split) -> random.Random:
    """Return the generator of one figure: a report of the same archive is always the same."""
    return rng_for("report", about, split)

"""The line against the champion on validation: pairs until the decision is clear."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import anyio

from evolith.algorithms.evaluating import unusable
from evolith.algorithms.flash.board import Board
from evolith.algorithms.flash.config import FlashConfig
from evolith.algorithms.workshop import Workshop
from evolith.core.candidate import Candidate
from evolith.core.events import PROVED, Verdict
from evolith.core.overlap import StoppedEarly
from evolith.core.rollout import Rollout
from evolith.core.task import Split, Task
from evolith.engine.gather import gather
from evolith.engine.pipeline import HALTING
from evolith.operators.proposal import Proposal
from evolith.operators.protocols import rejected

FIRST = 6
"""Pairs before the first decision."""
FUTILE_FROM, FUTILE = 16, 0.3
"""From so many pairs on, a line whose probability is below this is given up."""
SUPERSEDED = 24
"""Pairs after which an undecided comparison gives way to a newer line."""
WAVE = 16
"""Pairs under way at once."""
LAST = 0.8
"""Probability that must be reached in the end, where answers differ."""


def better(wins: int, losses: int) -> float:
    """Return the probability that the first of two is better on more tasks than the second.

    The share of wins among the tasks that differ is taken as Beta(wins + 1, losses + 1): a uniform
    prior. The probability that it is above one half is a sum of binomial terms.
    """
    n = wins + losses + 1
    return float(sum(math.comb(n, k) for k in range(wins + 1)) / 2**n)


@dataclass(slots=True)
class Pairs:
    """What is known of both on each task.

    Args:
        scores: By task: mean score of the line, and of the champion.
    """

    scores: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def probability(self) -> float:
        """The probability that the line is better."""
        wins = sum(ours > theirs for ours, theirs in self.scores.values())
        losses = sum(ours < theirs for ours, theirs in self.scores.values())
        return better(wins, losses)

    @property
    def difference(self) -> float:
        """The mean difference over the tasks that are back."""
        pairs = self.scores.values()
        return sum(ours - theirs for ours, theirs in pairs) / max(1, len(pairs))

    def interval(self) -> tuple[float, float]:
        """Return the 95% interval of the mean difference, with one pseudo-pair of variance 1."""
        n = len(self.scores)
        mean = self.difference
        spread = sum((o - t - mean) ** 2 for o, t in self.scores.values()) + 1.0
        half = 1.96 * math.sqrt(spread) / (n + 1)
        return max(-1.0, mean - half), min(1.0, mean + half)


@dataclass(frozen=True, slots=True)
class Judge:
    """Compares the line with the champion, as far as the decision needs.

    Both are run on the same validation tasks, as many at once as `WAVE`. The comparison ends when
    the probability that the line is better passes `accept` or falls below `reject`, when it is
    futile, or when a newer line waits; where answers differ it takes further passes.
    """

    board: Board
    config: FlashConfig

    async def __call__(self, workshop: Workshop, proposal: Proposal) -> Proposal:
        """Return the item as settled."""
        assert proposal.child is not None
        champion = workshop.archive.candidate(self.board.champion)
        trial = _Trial(self, workshop, proposal.child, champion)
        verdict = None
        for attempt in range(1, self.config.repeats + 1):
            verdict = await trial.run(attempt)
            if verdict is not None or not workshop.archive.state.unstable:
                break
        pairs = trial.pairs
        verdict = verdict or self._last(pairs, noisy=workshop.archive.state.unstable > 0)
        low, high = pairs.interval()
        stopped = StoppedEarly(
            item=proposal.item,
            candidate=proposal.child.id,
            back=len(pairs.scores),
            total=len(workshop.tasks.val),
            probability=pairs.probability,
            low=low,
            high=high,
        )
        verdict = unusable(trial.rollouts) or verdict
        return replace(proposal, val=tuple(trial.rollouts), stopped=stopped, verdict=verdict)

    def decide(self, pairs: Pairs, line: str, attempt: int) -> Verdict | None:
        """Return the decision, or None while there is none."""
        n, probability = len(pairs.scores), pairs.probability
        if n >= FIRST and probability >= self.config.accept:
            return proved(pairs)
        futile = n >= FUTILE_FROM and probability < FUTILE
        if (n >= FIRST and probability <= self.config.reject) or futile:
            return rejected("not_better", _said(pairs))
        self.board.sync()
        if self.board.line != line and (attempt > 1 or n >= SUPERSEDED):
            return rejected("superseded", f"{_said(pairs)}; a newer line waits")
        return None

    def _last(self, pairs: Pairs, *, noisy: bool) -> Verdict:
        if pairs.difference > 0 and (not noisy or pairs.probability > LAST):
            return proved(pairs)
        return rejected("not_better", _said(pairs))


@dataclass(slots=True)
class _Trial:
    """One comparison under way."""

    judge: Judge
    workshop: Workshop
    line: Candidate
    champion: Candidate
    pairs: Pairs = field(default_factory=Pairs)
    rollouts: list[Rollout] = field(default_factory=list)
    """Those of the line, in the order of coming back."""

    async def run(self, attempt: int) -> Verdict | None:
        """Make one more pass over the tasks; return the decision as soon as there is one."""
        background = self.workshop.runner.background
        assert background is not None
        todo = list(reversed(self.workshop.order.current()))
        verdicts: list[Verdict | Exception] = []
        ended, workers = anyio.Event(), min(WAVE, len(todo))
        left = [workers]

        async def work() -> None:
            while todo and not verdicts:
                try:
                    await self._pair(todo.pop(), attempt, verdicts)
                except HALTING as error:
                    verdicts.append(error)
                    break
                if not verdicts:
                    found = self.judge.decide(self.pairs, self.line.id, attempt)
                    verdicts.extend([] if found is None else [found])
            left[0] -= 1
            if verdicts or not left[0]:
                ended.set()

        for _ in range(workers):
            background.start_soon(work)
        await ended.wait()
        if not verdicts:
            return None
        if isinstance(verdicts[0], Exception):
            raise verdicts[0]
        return verdicts[0]

    async def _pair(self, task: Task, attempt: int, over: Sequence[object]) -> None:
        evaluate = partial(
            self.workshop.runner.evaluate, tasks=[task], split=Split.VAL, attempts=attempt
        )
        ours, theirs = await gather(
            [
                partial(evaluate, self.line, urgent=True),
                partial(evaluate, self.champion, urgent=True),
            ]
        )
        if over:  # it came back after the decision
            return
        mine, rival = _mean(ours), _mean(theirs)
        self.rollouts.append(ours[-1])
        if mine is not None and rival is not None:
            self.pairs.scores[task.id] = (mine, rival)


def proved(pairs: Pairs) -> Verdict:
    """Return the verdict that makes the line the champion."""
    return Verdict(outcome="accepted", code=PROVED, reason=_said(pairs))


def _said(pairs: Pairs) -> str:
    return (
        f"{pairs.difference:+.3f} against the champion on {len(pairs.scores)} tasks, better with "
        f"probability {pairs.probability:.2f}"
    )


def _mean(rollouts: Sequence[Rollout]) -> float | None:
    values = [rollout.score.value for rollout in rollouts if rollout.score is not None]
    return sum(values) / len(values) if values else None

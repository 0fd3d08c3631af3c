"""The evaluation stage: the child on the validation split, as far as the decision needs it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from evolith.algorithms.workshop import Workshop, failed
from evolith.core.events import Verdict
from evolith.core.overlap import Speculated, StoppedEarly
from evolith.core.rollout import Rollout
from evolith.core.task import Split
from evolith.engine.early import Prediction, predict
from evolith.engine.speculation import Share
from evolith.errors import Boundary
from evolith.operators.proposal import Proposal
from evolith.operators.protocols import rejected

MOST_FAILED = 0.1
"""Share of validation rollouts that may fail before an evaluation says nothing."""


@dataclass(slots=True)
class Evaluating:
    """Runs children on the validation split.

    Args:
        workshop: The parts.
        share: After which share a child that is ahead becomes tentative.
        give_up: Chance of another decision at which an evaluation ends; None finishes all.
    """

    workshop: Workshop
    share: Share = field(default_factory=lambda: Share(1.0))
    give_up: float | None = None

    async def evaluate(self, proposal: Proposal) -> Proposal:
        """Run the child on the validation split."""
        assert proposal.child is not None
        runner, own = self.workshop.runner, self.workshop.mutation(proposal).evaluate
        if own is not None:
            return await own(self.workshop, proposal)
        watch = _Watch(self, proposal)
        order = self.workshop.order.current()
        done = await runner.evaluate(proposal.child, order, Split.VAL, look=watch.look)
        by_task = {rollout.task: rollout for rollout in done}
        tasks = [task.id for task in self.workshop.tasks.val]
        val = tuple(by_task[task] for task in tasks if task in by_task)
        proposal = replace(proposal, val=val)
        stopped = self.workshop.recorded.stopped.get(proposal.item)
        if stopped is not None:
            watch.stopped = Prediction(stopped.probability, stopped.low, stopped.high)
        if watch.stopped is not None:
            return await self._stop(proposal, watch.stopped)
        return replace(proposal, verdict=unusable(proposal.val))

    async def _stop(self, proposal: Proposal, prediction: Prediction) -> Proposal:
        assert proposal.child is not None
        total = len(self.workshop.tasks.val)
        event = StoppedEarly(
            item=proposal.item,
            candidate=proposal.child.id,
            back=len(proposal.val),
            total=total,
            probability=prediction.probability,
            low=prediction.low,
            high=prediction.high,
        )
        await self.workshop.archive.append(event)
        reason = (
            f"given up after {len(proposal.val)} of {total} tasks: "
            f"the chance to be accepted was {prediction.probability:.1%}"
        )
        return replace(proposal, verdict=rejected("given_up", reason))


@dataclass(slots=True)
class _Watch:
    """Looks at one evaluation while its rollouts come back."""

    stage: Evaluating
    proposal: Proposal
    tentative: bool = False
    stopped: Prediction | None = None

    async def look(self, rollouts: Sequence[Rollout]) -> bool:
        workshop, total = self.stage.workshop, len(self.stage.workshop.tasks.val)
        view = workshop.archive.view()
        rival = view.champion.val
        scores = {r.task: r.score.value for r in rollouts if r.score is not None}
        shared = [task for task in scores if task in rival]
        if workshop.gateway.source is not None:  # a replay begins nothing, so it ends nothing
            return False
        if retracted(workshop, self.proposal) is not None:
            return True
        threshold = workshop.algorithm.gate.threshold(view)
        if self.stage.give_up is not None and threshold is not None and len(rollouts) < total:
            left = [value for task, value in rival.items() if task not in scores]
            margin = threshold - view.champion.mean
            predicted = predict([scores[t] - rival[t] - margin for t in shared], left)
            if predicted.probability <= self.stage.give_up:
                self.stopped = predicted
                return True
        if not self.tentative and self.stage.share.enough(len(rollouts), total) and shared:
            mean = sum(scores[task] for task in shared) / len(shared)
            beat = sum(rival[task] for task in shared) / len(shared)
            if mean > beat:
                self.tentative = True
                await self._speculate(len(rollouts), total, mean, beat)
        return False

    async def _speculate(self, back: int, total: int, mean: float, threshold: float) -> None:
        assert self.proposal.child is not None
        event = Speculated(
            candidate=self.proposal.child.id,
            back=back,
            total=total,
            mean=mean,
            threshold=threshold,
            alpha=self.stage.share.alpha,
        )
        await self.stage.workshop.archive.append(event)


def retracted(workshop: Workshop, proposal: Proposal) -> str | None:
    """Return the parent of an item that was tentative and has been rejected, or None."""
    outcomes = workshop.archive.state.overlap.outcomes
    lost = (p for p in proposal.selected.parents if outcomes.get(p) in ("rejected", "failed"))
    return next(lost, None)


def unusable(val: Sequence[Rollout]) -> Verdict | None:
    """Return why rollouts on validation say nothing about a child, or None."""
    failures = [rollout.failure for rollout in val if rollout.failure is not None]
    crashes = [f for f in failures if f.boundary is Boundary.HARNESS]
    if crashes:  # else a child that crashes on hard tasks would leave them out of its mean
        reason = f"the agent fails on {len(crashes)} tasks: {crashes[0].message}"
        return rejected("agent_fails", reason)
    if len(failures) > MOST_FAILED * len(val):
        reason = f"{len(failures)} of {len(val)} rollouts failed: {failures[0].message}"
        return failed("rollouts_failed", reason)
    return None

"""The evaluation stage: the child on the validation split, as far as the decision needs it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from evolith.algorithms.workshop import Workshop, failed
from evolith.archive.view import Member
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
        tentative = self.workshop.archive.state.overlap.speculated
        watch = _Watch(self, proposal, tentative=proposal.child.id in tentative)
        order = self.workshop.order.current()
        early = self.share.alpha < 1 or self.give_up is not None
        look = watch.look if early and self.workshop.gateway.source is None else None
        done = await runner.evaluate(proposal.child, order, Split.VAL, look=look)
        by_task = {rollout.task: rollout for rollout in done}
        tasks = [task.id for task in self.workshop.tasks.val]
        val = tuple(by_task[task] for task in tasks if task in by_task)
        proposal = replace(proposal, val=val)
        stopped = self.workshop.recorded.stopped.get(proposal.item)
        if watch.stopped is not None and len(val) < len(tasks):  # else it is complete after all
            stopped = _stopped(proposal, watch.stopped, len(tasks))
        return replace(
            proposal,
            stopped=stopped,
            verdict=unusable(val) if stopped is None else _given_up(stopped),
        )


def _stopped(proposal: Proposal, prediction: Prediction, total: int) -> StoppedEarly:
    assert proposal.child is not None
    return StoppedEarly(
        item=proposal.item,
        candidate=proposal.child.id,
        back=len(proposal.val),
        total=total,
        probability=prediction.probability,
        low=prediction.low,
        high=prediction.high,
    )


def _given_up(stopped: StoppedEarly) -> Verdict:
    return rejected(
        "given_up",
        f"given up after {stopped.back} of {stopped.total} tasks: "
        f"the chance to be accepted was {stopped.probability:.1%}",
    )


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
        if retracted(workshop, self.proposal) is not None:
            return True
        threshold = workshop.algorithm.gate.threshold(view)
        if self.stage.give_up is not None and threshold is not None and len(rollouts) < total:
            predicted = self._predict(scores, view.champion, threshold)
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

    def _predict(
        self, scores: Mapping[str, float], champion: Member, threshold: float
    ) -> Prediction:
        """Predict by how much the child's mean will pass the threshold."""
        margin = threshold - champion.mean
        # A task that the champion has no score on counts as its mean, so that all add up to it.
        rival = {
            task.id: champion.val.get(task.id, champion.mean) + margin
            for task in self.stage.workshop.tasks.val
        }
        back = [scores[task] - rival[task] for task in scores]
        return predict(back, [value for task, value in rival.items() if task not in scores])

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
    """Return the parent of an item that was tentative and was not accepted, or None."""
    overlap = workshop.archive.state.overlap
    lost = (
        parent
        for parent in proposal.selected.parents
        if parent in overlap.speculated and overlap.outcomes.get(parent) in ("rejected", "failed")
    )
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

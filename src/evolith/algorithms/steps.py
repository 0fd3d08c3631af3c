"""The first stages of a run: the parent's rollouts, the child, and their comparison."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import anyio

from evolith.algorithms.workshop import Workshop, failed
from evolith.core.candidate import Candidate
from evolith.core.events import Verdict
from evolith.core.overlap import HandedOn
from evolith.core.rollout import Rollout
from evolith.engine.pipeline import HALTING
from evolith.engine.speculation import Share
from evolith.errors import ModelFailure
from evolith.operators.proposal import Proposal, mean_value
from evolith.operators.protocols import NothingProposed, rejected


@dataclass(slots=True)
class Steps:
    """Carries an item from its selection to the comparison on the minibatch.

    Args:
        workshop: The parts.
        share: After which share of the parent's rollouts the child is proposed.
    """

    workshop: Workshop
    share: Share = field(default_factory=lambda: Share(1.0))

    async def rollout(self, proposal: Proposal) -> Proposal:
        """Run the parents on the minibatch, where the mutation or the comparison needs it."""
        mutation = self.workshop.mutation(proposal)
        if mutation.rollout is not None:
            return await mutation.rollout(self.workshop, proposal)
        if not mutation.evidence and mutation.validate is None:
            return proposal
        runs = [await self._run(parent, proposal) for parent in proposal.parents]
        before = max(runs, key=lambda rollouts: mean_value(rollouts) or 0.0)
        proposal = replace(proposal, before=before)
        if proposal.child is not None:
            return proposal
        mean = mean_value(before)
        if mean is None:
            reason = "no rollout of the parent on the minibatch gave a score"
            return replace(proposal, verdict=failed("no_scores", reason))
        perfect = mean == 1.0 and len(before) == len(proposal.tasks)
        if perfect and self.workshop.algorithm.skip_perfect and not proposal.selected.ancestor:
            reason = "the parent is perfect on the minibatch"
            verdict = Verdict(outcome="skipped", code="perfect_minibatch", reason=reason)
            return replace(proposal, verdict=verdict)
        return proposal

    async def _run(self, parent: Candidate, proposal: Proposal) -> tuple[Rollout, ...]:
        """Return the rollouts of a parent, or as many of them as the share wants."""
        runner, tasks, split = self.workshop.runner, proposal.tasks, proposal.split
        handed = self._handed(proposal)
        early = not self.share.off and len(proposal.parents) == 1
        some = tasks if handed is None else [task for task in tasks if task.id in handed.tasks]
        if proposal.child is not None:  # an earlier session made it, from what there was then
            return tuple(runner.recorded(parent, some, split))
        if handed is not None or runner.background is None or not early:
            return tuple(await runner.evaluate(parent, some, split))
        back: list[Rollout] = []
        halted: list[Exception] = []
        enough = anyio.Event()

        async def look(rollouts: Sequence[Rollout]) -> bool:
            back[:] = rollouts
            if self.share.enough(len(back), len(tasks)):
                enough.set()
            return False

        async def run() -> None:
            try:
                back[:] = await runner.evaluate(parent, tasks, split, look=look)
            except HALTING as error:
                halted.append(error)
            enough.set()

        runner.background.start_soon(run)
        await enough.wait()
        if halted:
            raise halted[0]
        order = {task.id: place for place, task in enumerate(tasks)}
        # A copy, since what comes later is no part of it.
        found = sorted(back, key=lambda rollout: order[rollout.task])
        if len(found) < len(tasks):
            names = tuple(rollout.task for rollout in found)
            await self.workshop.archive.append(HandedOn(item=proposal.item, tasks=names))
        return tuple(found)

    def _handed(self, proposal: Proposal) -> HandedOn | None:
        """Return what an earlier session, or the recording, handed the item on with."""
        overlap, recorded = self.workshop.archive.state.overlap, self.workshop.recorded
        return overlap.handed.get(proposal.item) or recorded.handed.get(proposal.item)

    async def propose(self, proposal: Proposal) -> Proposal:
        """Make the child, check it against surface and agent, and record it."""
        workshop, mutation = self.workshop, self.workshop.mutation(proposal)
        if mutation.operator is None:
            return replace(proposal, child=proposal.parents[0])
        context = workshop.context(proposal.item, proposal.selected.ordinal)
        evidence = await workshop.algorithm.analyze.analyze(proposal, context)
        proposal = replace(proposal, evidence=evidence)
        if proposal.child is not None:
            return self._checked(proposal, proposal.child)
        try:
            draft = await mutation.operator.mutate(proposal, context)
        except NothingProposed as nothing:
            return replace(proposal, verdict=failed(nothing.code, nothing.reason))
        except ModelFailure as failure:
            return replace(proposal, verdict=failed("model_failure", failure.message))
        known = workshop.known(draft.artifact) if mutation.returns else None
        if known is not None:
            return replace(proposal, child=known)
        child = workshop.child(proposal, draft.artifact, draft.rationale)
        await workshop.add(child)
        return self._checked(proposal, child)

    def _checked(self, proposal: Proposal, child: Candidate) -> Proposal:
        """Return the item with its child, settled where the child may not be run or was before."""
        verdict = self.workshop.refused(child, proposal.parents[0])
        if verdict is None:
            verdict = duplicate(self.workshop, child, proposal.selected.commits)
        return replace(proposal, child=child, verdict=verdict)

    async def check(self, proposal: Proposal) -> Proposal:
        """Compare child and parent on the minibatch."""
        mutation, runner = self.workshop.mutation(proposal), self.workshop.runner
        if mutation.check is not None:
            return await mutation.check(self.workshop, proposal)
        if mutation.validate is None or proposal.child is None:
            return proposal
        after = await runner.evaluate(proposal.child, proposal.tasks, proposal.split)
        proposal = replace(proposal, after=tuple(after))
        if self._handed(proposal) is not None:  # the rest is in by now
            (parent,) = proposal.parents
            before = await runner.evaluate(parent, proposal.tasks, proposal.split)
            seen = {rollout.task for rollout in proposal.before}
            proposal = replace(proposal, before=tuple(before))
            self.share.settle(confirmed=_general(proposal, seen))
        return replace(proposal, verdict=mutation.validate.validate(proposal))


def _general(proposal: Proposal, seen: set[str]) -> bool:
    """Say whether a child that was made from some tasks does no worse on the others."""
    before, after = (
        mean_value(tuple(rollout for rollout in rollouts if rollout.task not in seen))
        for rollouts in (proposal.before, proposal.after)
    )
    return (after or 0.0) >= (before or 0.0)


def duplicate(workshop: Workshop, child: Candidate, before: int) -> Verdict | None:
    """Refuse an artifact whose validation score is known already.

    One that only failed on a minibatch has another chance: that was a matter of luck. Before a
    child is evaluated it is compared with what was decided when its item was selected, and at its
    own decision with everything: so the verdict depends on the order of decisions alone, and a
    replay repeats it.

    Args:
        workshop: The parts.
        child: The new candidate.
        before: How many of the first decisions count.
    """
    state = workshop.archive.state
    order, other = state.evaluated.get(state.candidates[child.id].artifact, (before, child.id))
    if order >= before or other == child.id:
        return None
    return rejected("duplicate", f"the same artifact as {other}")

"""Cheap proofs on train tasks: a repair wins what it was made for, a leave-out sets tasks free."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from evolith.algorithms.flash.board import Board
from evolith.algorithms.flash.config import FlashConfig
from evolith.algorithms.flash.select import SelectNext
from evolith.algorithms.workshop import Workshop
from evolith.core.candidate import Candidate
from evolith.core.events import Verdict
from evolith.core.rollout import Rollout
from evolith.core.task import Split, Task
from evolith.engine.gather import gather
from evolith.operators.proposal import Proposal
from evolith.operators.protocols import rejected

PROBES = 24
"""Repeated rollouts that must agree before answers are taken to repeat."""
FREED = 0.7
"""Share of five repeats on the freed tasks that must pass, where answers differ."""
DOUBT = 2
"""Useless repairs after which a failing task is run again, where answers differ."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Runs candidates on single train tasks, as often as an answer needs.

    Args:
        board: Where the run stands.
        workshop: The parts.
    """

    board: Board
    workshop: Workshop

    @property
    def noisy(self) -> bool:
        """Whether any repeated rollout of the run gave another score."""
        return self.board.archive.state.unstable > 0

    async def scored(self, candidate: Candidate, task: str, times: int = 1) -> list[bool]:
        """Return whether each of the first so many rollouts passed."""
        one = self._task(task)
        rollouts = await self.workshop.runner.evaluate(candidate, [one], Split.TRAIN, times)
        return [passed(rollout) for rollout in rollouts]

    async def passes(self, candidate: Candidate, task: str) -> bool:
        """Ask once, or where repeats differ (or are not known not to) for the majority of three."""
        if not self.noisy and self.board.archive.state.repeats >= PROBES:
            return all(await self.scored(candidate, task))
        got = await self.scored(candidate, task, 2)
        if len(set(got)) > 1:
            got = await self.scored(candidate, task, 3)
        return sum(got) * 2 > len(got)

    async def which(self, candidate: Candidate, tasks: Sequence[str]) -> list[str]:
        """Return those of some tasks that a candidate passes; all are run side by side."""
        right = await gather([partial(self.passes, candidate, task) for task in tasks])
        return [task for task, passes in zip(tasks, right, strict=True) if passes]

    def _task(self, name: str) -> Task:
        return next(task for task in self.workshop.tasks.train if task.id == name)


@dataclass(frozen=True, slots=True)
class Looks:
    """Runs the line on one train task; that is all."""

    async def __call__(self, workshop: Workshop, proposal: Proposal) -> Proposal:
        """Return the item as settled."""
        (parent,) = proposal.parents
        before = await workshop.runner.evaluate(parent, proposal.tasks, Split.TRAIN)
        said = "passed" if all(passed(rollout) for rollout in before) else "not passed"
        verdict = Verdict(outcome="skipped", code="looked", reason=f"{proposal.tasks[0].id} {said}")
        return replace(proposal, before=tuple(before), verdict=verdict)


@dataclass(frozen=True, slots=True)
class Doubts:
    """Runs the line on what is to be repaired, and asks again where that was in vain before."""

    board: Board

    async def __call__(self, workshop: Workshop, proposal: Proposal) -> Proposal:
        """Return the item with its evidence, or settled when the task is passed after all."""
        parent, task = proposal.parents[0], proposal.tasks[0].id
        asking = Asking(self.board, workshop)
        if (
            workshop.gateway.source is None
            and asking.noisy
            and self.board.useless[task] >= DOUBT
            and await asking.passes(parent, task)
        ):
            verdict = Verdict(
                outcome="skipped", code="passes", reason=f"{task} is passed more often than not"
            )
            return replace(proposal, verdict=verdict)
        before = await workshop.runner.evaluate(parent, proposal.tasks, Split.TRAIN)
        return replace(proposal, before=tuple(before))


@dataclass(frozen=True, slots=True)
class Wins:
    """Checks that a repair passes its task and those that failed in the same way.

    A repair of a task without such mates says little: it must pass again, and lose nothing of a
    sample of what its parent passes.
    """

    board: Board
    config: FlashConfig
    select: SelectNext

    async def __call__(self, workshop: Workshop, proposal: Proposal) -> Proposal:
        """Return the item as settled: held or rejected."""
        assert proposal.child is not None
        asking, parent, child = Asking(self.board, workshop), proposal.parents[0], proposal.child
        task = proposal.tasks[0].id
        after = await workshop.runner.evaluate(child, proposal.tasks[:1], Split.TRAIN)
        proposal = replace(proposal, after=tuple(after))
        if not all(passed(rollout) for rollout in after):
            return replace(proposal, verdict=rejected("not_won", f"{task} is still failed"))
        self.board.sync()
        mates = self.board.mates(task, parent.id, self.config.minibatch - 1, known=False)
        won = await asking.which(child, mates)
        if len(won) < len(mates):
            reason = f"wins {1 + len(won)} of {1 + len(mates)} tasks that failed alike"
            return replace(proposal, verdict=rejected("not_general", reason))
        if not mates and not await self._harmless(asking, parent, child, task):
            return replace(proposal, verdict=rejected("not_safe", "loses tasks, or may"))
        names = ", ".join([task, *won])
        return replace(proposal, verdict=held("won", f"wins {names}"))

    async def _harmless(
        self, asking: Asking, parent: Candidate, child: Candidate, task: str
    ) -> bool:
        known = [name for name, look in self.board.looks.items() if look.passed]
        if len(known) < self.config.guard and not self.select.unstuck:
            return False  # there is too little yet that it could lose: it can wait
        if not await asking.passes(child, task):
            return False
        rng = asking.workshop.context(child.item, 0).rng("guard")
        sample = rng.sample(sorted(known), min(self.config.guard, len(known)))
        kept = await asking.which(child, sample)
        lost = [name for name in sample if name not in kept]
        return not await asking.which(parent, lost)


@dataclass(frozen=True, slots=True)
class Frees:
    """Checks whether the line without a part passes tasks that it is stuck on."""

    board: Board

    async def __call__(self, workshop: Workshop, proposal: Proposal) -> Proposal:
        """Return the item as settled: held or rejected."""
        assert proposal.child is not None
        asking, child = Asking(self.board, workshop), proposal.child
        tasks = [task.id for task in proposal.tasks]
        once = await gather([partial(asking.scored, child, task) for task in tasks])
        freed = [task for task, runs in zip(tasks, once, strict=True) if all(runs)]
        if freed and asking.noisy:
            runs = [await asking.scored(child, task, 5) for task in freed]
            if sum(map(sum, runs)) < FREED * sum(map(len, runs)):
                freed = []
        if not freed:
            return replace(proposal, verdict=rejected("frees_nothing", "no stuck task is passed"))
        return replace(proposal, verdict=held("frees", f"without it {', '.join(freed)} pass"))


def passed(rollout: Rollout) -> bool:
    """Say whether a rollout has a passing score."""
    return rollout.score is not None and rollout.score.passed


def held(code: str, reason: str) -> Verdict:
    """Return a verdict that keeps a child for fusing."""
    return Verdict(outcome="held", code=code, reason=reason)

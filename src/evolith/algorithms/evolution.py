"""The pipeline of an evolution run: how a proposal goes from selection to its decision."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice

from evolith.algorithms.evaluating import Evaluating, retracted
from evolith.algorithms.refreshing import Refreshing
from evolith.algorithms.steps import Steps, duplicate
from evolith.algorithms.workshop import Workshop, failed
from evolith.core.budget import Amount
from evolith.core.events import Decided, Selected
from evolith.core.overlap import Ordered
from evolith.core.task import Split
from evolith.engine.config import RunSettings
from evolith.engine.speculation import share
from evolith.engine.stage import Stage
from evolith.operators.proposal import Proposal, mean_value
from evolith.operators.protocols import rejected
from evolith.operators.repair.reflective import ReflectiveRepair

RAISED = "operator_raised"
"""Code of the verdict about an item whose stage raised an exception."""
IDLE = 50
"""Proposals in a row without a comparison, after which nothing more is to be expected."""
STILL = 1000
"""Items in a row that cost nothing at all, after which a run goes in circles."""


@dataclass(slots=True)
class Evolution:
    """Carries proposals through the stages: the journey of an evolution run.

    Args:
        workshop: The parts that every stage needs.
        run: How the work is scheduled.
    """

    workshop: Workshop
    run: RunSettings
    prepare: Callable[[], None] = lambda: None
    """Called before a new item is selected, when the archive stands still in a synchronous run."""
    ended: str = ""
    """Why there is nothing more to do, once the source has said so."""
    steps: Steps = field(init=False)
    refreshing: Refreshing = field(init=False)
    evaluating: Evaluating = field(init=False)
    _left: deque[Selected] | None = None
    """Items of earlier sessions that are still to be begun again; None before the first look."""
    _made: dict[str, list[str]] = field(default_factory=dict)
    """By item of these, the candidates that it has made already."""
    _spent: Amount = field(default_factory=Amount)
    _spent_at: int = 0
    """Decisions when something was last spent."""
    _parked: dict[str, list[Proposal]] = field(default_factory=dict)
    """Finished items by the tentative parent whose decision they wait for."""

    def __post_init__(self) -> None:
        run, workshop = self.run, self.workshop
        self.steps = Steps(workshop, share(run.speculation.rollout))
        stale = run.staleness
        repair = ReflectiveRepair()
        self.refreshing = Refreshing(workshop, stale.rules(), repair, stale.batch, stale.wait)
        alpha = share(run.speculation.evaluate)
        self.evaluating = Evaluating(workshop, alpha, run.give_up)
        for decided in workshop.archive.state.decided.values():  # in earlier sessions
            self._learn(decided)

    def stages(self) -> list[Stage[Proposal]]:
        """Return the stages in the order of travel."""
        run = self.run
        return [
            Stage("rollout", self.steps.rollout, run.pool("rollout"), run.in_flight),
            Stage("propose", self.steps.propose, run.pool("propose"), run.in_flight),
            Stage("check", self.steps.check, run.pool("check"), run.in_flight),
            Stage("repair", self.refreshing.refresh, run.pool("repair"), run.in_flight),
            Stage("evaluate", self.evaluating.evaluate, run.pool("evaluate"), run.in_flight),
        ]

    async def source(self) -> Proposal | None:
        """Begin the next item: first those that an earlier session left, then new ones."""
        selected = self._leftover() or await self._select()
        return None if selected is None else self.begin(selected)

    def begin(self, selected: Selected) -> Proposal:
        """Return the item that was selected, as it enters the first stage."""
        archive, split = self.workshop.archive, Split.VAL if selected.ancestor else Split.TRAIN
        by_id = {task.id: task for task in self.workshop.tasks[split]}
        proposal = Proposal(
            selected,
            tuple(archive.candidate(parent) for parent in selected.parents),
            tuple(by_id[task] for task in selected.tasks),
            split,
        )
        made = self._made.get(selected.item)
        if made is None:
            return proposal
        # The last one is what is decided about; the first one is what later stages begin with.
        lost = retracted(self.workshop, proposal) is not None
        return replace(proposal, child=archive.candidate(made[-1 if lost else 0]))

    def _leftover(self) -> Selected | None:
        """Return the next item that an earlier session began and did not decide, or None."""
        if self._left is None:
            state = self.workshop.archive.state
            left = [s for item, s in state.selected.items() if item not in state.decided]
            self._left = deque(sorted(left, key=lambda selected: selected.ordinal))
            names = {selected.item for selected in left}
            for added in state.candidates.values():
                if added.item in names:
                    self._made.setdefault(added.item, []).append(added.id)
        return self._left.popleft() if self._left else None

    async def _select(self) -> Selected | None:
        self.ended = self._at_end()
        if self.ended:
            return None
        self.prepare()
        if self.workshop.gateway.ledger.stopped is not None:
            raise self.workshop.gateway.ledger.stopped
        state = self.workshop.archive.state
        ordinal = len(state.selected)
        item = f"p{ordinal + 1:04d}"
        view = self.workshop.archive.view()
        selection = await self.workshop.algorithm.select.select(
            view, self.workshop.context(item, ordinal)
        )
        if selection is None:
            self.ended = "the algorithm has nothing more to try"
            return None
        selected = Selected(
            item=item,
            ordinal=ordinal,
            commits=view.commits,
            version=view.version,
            parents=selection.parents,
            tasks=selection.tasks,
            operator=selection.operator,
            components=selection.components,
            cursor=selection.cursor,
            ancestor=selection.ancestor,
        )
        await self.workshop.archive.append(selected)
        return selected

    def _at_end(self) -> str:
        state, most = self.workshop.archive.state, self.workshop.algorithm.proposals
        if most is not None and len(state.selected) >= most:
            return f"all {most} proposals are made"
        values = state.values(state.champion or "", Split.VAL).values()
        if len(values) == len(self.workshop.tasks.val) and min(values) == 1.0:
            return f"{state.champion} is perfect on validation"
        if self.workshop.gateway.ledger.spent != self._spent:
            self._spent, self._spent_at = self.workshop.gateway.ledger.spent, state.commits
        elif state.commits - self._spent_at >= STILL:
            return f"the last {STILL} items cost nothing, so the rest would not either"
        if any(mutation.timed for mutation in self.workshop.algorithm.mutations.values()):
            return ""  # such an algorithm looks without comparing, and knows its own end
        patience = max(IDLE, 2 * len(self.workshop.tasks.train))
        recent = list(islice(reversed(state.decided.values()), patience))
        idle = all(decided.after is None and decided.val is None for decided in recent)
        if len(recent) == patience and idle:
            return f"the last {patience} proposals gave nothing to compare"
        return ""

    def urgent(self, item: Proposal) -> bool:
        """Say whether the item goes before others that wait for the same stage."""
        return self.workshop.mutation(item).urgent

    def settled(self, item: Proposal) -> bool:
        """Say whether the fate of an item is known."""
        return item.verdict is not None or retracted(self.workshop, item) is not None

    def failed(self, item: Proposal, error: Exception) -> Proposal:
        """Settle an item whose operator raised."""
        reason = f"{type(error).__name__}: {error}"
        return replace(item, verdict=failed(RAISED, reason))

    async def commit(self, item: Proposal) -> None:
        """Decide and record. The only place where decisions are made; no model is called here.

        Parents are decided before their children: what came of a tentative parent waits for its
        decision, and falls with it.
        """
        waits_for = self._undecided_parent(item)
        if waits_for is not None:
            self._parked.setdefault(waits_for, []).append(item)
            return
        await self._decide(item)
        if item.child is not None:
            for child in self._parked.pop(item.child.id, ()):
                await self.commit(child)

    def _undecided_parent(self, item: Proposal) -> str | None:
        outcomes = self.workshop.archive.state.overlap.outcomes
        return next((p for p in item.selected.parents if p not in outcomes), None)

    async def _decide(self, item: Proposal) -> None:
        archive, state = self.workshop.archive, self.workshop.archive.state
        verdict = item.verdict
        lost = retracted(self.workshop, item)
        if lost is not None:
            verdict = rejected("retracted", f"its tentative parent {lost} was not accepted")
            # How far it had come is a matter of time, and its scores decide nothing.
            item = replace(item, before=(), after=(), val=(), stopped=None)
        if verdict is None and item.child is not None:
            verdict = duplicate(self.workshop, item.child, state.commits)
        if verdict is None:
            verdict = self.workshop.algorithm.gate.decide(item, archive.view())
        tentative = item.child is not None and item.child.id in state.overlap.tentative
        decided = Decided(
            item=item.item,
            order=state.commits,
            candidate=None if item.child is None else item.child.id,
            verdict=verdict,
            version=state.version + (verdict.outcome == "accepted"),
            before=mean_value(item.before),
            after=mean_value(item.after),
            val=mean_value(item.val),
        )
        await archive.append(*([] if item.stopped is None else [item.stopped]), decided)
        if tentative:
            self.evaluating.share.settle(confirmed=verdict.outcome == "accepted")
        if self.run.reorder and self.workshop.gateway.source is None:
            self._learn(decided)
            await self._reorder()

    def _learn(self, decided: Decided) -> None:
        """Let the order take in the evaluation behind a decision."""
        state = self.workshop.archive.state
        if decided.val is not None and decided.item in state.selected:
            rows = state.rollouts[decided.candidate or "", Split.VAL]
            self.workshop.order.learn({task: bool(row.passed) for (task, _), row in rows.items()})

    async def _reorder(self) -> None:
        orders, last = self.workshop.archive.state.overlap.orders, self.workshop.order.easy()
        if last != (orders[-1].last if orders else ()):
            await self.workshop.archive.append(Ordered(number=len(orders) + 1, last=last))

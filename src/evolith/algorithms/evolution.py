"""The pipeline of an evolution run: how a proposal goes from selection to its decision."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from evolith.algorithms.definition import Algorithm, Mutation
from evolith.archive.archive import Archive, dump_artifact
from evolith.core.candidate import Candidate, candidate_id
from evolith.core.change import Change
from evolith.core.events import CandidateAdded, Decided, Selected, Verdict
from evolith.core.messages import Role
from evolith.core.ports import Agent, Chat
from evolith.core.surface import Surface
from evolith.core.task import Split, TaskSet
from evolith.engine.pipeline import Stage
from evolith.engine.rollouts import Runner
from evolith.errors import ArtifactError, Boundary, ModelFailure
from evolith.models.gateway import Gateway
from evolith.operators.proposal import Proposal, mean_value
from evolith.operators.protocols import Context, Draft, NothingProposed, rejected

IDLE = 50
"""Proposals in a row without a comparison, after which nothing more is to be expected."""
MOST_FAILED = 0.1
"""Share of validation rollouts that may fail before an evaluation says nothing."""


@dataclass(slots=True)
class Evolution:
    """Carries proposals through the stages: the journey of an evolution run.

    Args:
        algorithm: The operators.
        archive: Read by all stages, written with candidates and decisions.
        runner: Runs rollouts.
        gateway: Through which operators call models.
        agent: Checks artifacts.
        tasks: The tasks of the run.
        surface: What may be edited.
        seed: Seed of the run.
    """

    algorithm: Algorithm
    archive: Archive
    runner: Runner
    gateway: Gateway
    agent: Agent
    tasks: TaskSet
    surface: Surface
    seed: int
    prepare: Callable[[], None] = lambda: None
    """Called before a new item is selected, when the archive stands still in a synchronous run."""
    ended: str = ""
    """Why there is nothing more to do, once the source has said so."""
    _begun: set[str] = field(default_factory=set)

    def stages(self, in_flight: int) -> list[Stage[Proposal]]:
        """Return the stages, each wide enough for all items under way."""
        steps = (
            ("rollout", self.rollout),
            ("propose", self.propose),
            ("check", self.check),
            ("evaluate", self.evaluate),
        )
        return [Stage(name, work, in_flight, in_flight) for name, work in steps]

    async def source(self) -> Proposal | None:
        """Begin the next item: first those that an earlier session left, then new ones."""
        selected = (
            next((s for s in self._left() if s.item not in self._begun), None)
            or await self._select()
        )
        if selected is None:
            return None
        self._begun.add(selected.item)
        split = Split.VAL if selected.ancestor else Split.TRAIN
        by_id = {task.id: task for task in self.tasks[split]}
        return Proposal(
            selected,
            tuple(self.archive.candidate(parent) for parent in selected.parents),
            tuple(by_id[task] for task in selected.tasks),
            split,
        )

    def _left(self) -> list[Selected]:
        state = self.archive.state
        left = [s for item, s in state.selected.items() if item not in state.decided]
        return sorted(left, key=lambda selected: selected.ordinal)

    async def _select(self) -> Selected | None:
        self.ended = self._at_end()
        if self.ended:
            return None
        self.prepare()
        if self.gateway.ledger.stopped is not None:
            raise self.gateway.ledger.stopped
        state = self.archive.state
        ordinal = len(state.selected)
        item = f"p{ordinal + 1:04d}"
        view = self.archive.view()
        selection = await self.algorithm.select.select(view, self._context(item, ordinal))
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
        await self.archive.append(selected)
        return selected

    def _at_end(self) -> str:
        state = self.archive.state
        if self.algorithm.proposals is not None and len(state.selected) >= self.algorithm.proposals:
            return f"all {self.algorithm.proposals} proposals are made"
        if state.champion is not None and state.mean(state.champion, Split.VAL) == 1.0:
            return f"{state.champion} is perfect on validation"
        patience = max(IDLE, 2 * len(self.tasks.train))
        recent = list(state.decided.values())[-patience:]
        idle = all(decided.after is None and decided.val is None for decided in recent)
        if len(recent) == patience and idle:
            return f"the last {patience} proposals gave nothing to compare"
        return ""

    def _context(self, item: str, ordinal: int) -> Context:
        def chat(role: Role, operator: str) -> Chat:
            return self.gateway.line(role, f"{item}/{operator}")

        return Context(self.seed, item, ordinal, self.tasks, self.surface, chat)

    async def rollout(self, proposal: Proposal) -> Proposal:
        """Run the parent on the minibatch, where the mutation or the comparison needs it."""
        mutation = self._mutation(proposal)
        if not mutation.evidence and mutation.validate is None:
            return proposal
        runs = [
            tuple(await self.runner.evaluate(parent, proposal.tasks, proposal.split))
            for parent in proposal.parents
        ]
        before = max(runs, key=lambda rollouts: mean_value(rollouts) or 0.0)
        proposal = replace(proposal, before=before)
        mean = mean_value(before)
        if mean is None:
            reason = "no rollout of the parent on the minibatch gave a score"
            return replace(proposal, verdict=_failed("no_scores", reason))
        if mean == 1.0 and self.algorithm.skip_perfect and not proposal.selected.ancestor:
            reason = "the parent is perfect on the minibatch"
            verdict = Verdict(outcome="skipped", code="perfect_minibatch", reason=reason)
            return replace(proposal, verdict=verdict)
        return proposal

    async def propose(self, proposal: Proposal) -> Proposal:
        """Make the child, check it against surface and agent, and record it."""
        context = self._context(proposal.item, proposal.selected.ordinal)
        evidence = await self.algorithm.analyze.analyze(proposal, context)
        proposal = replace(proposal, evidence=evidence)
        try:
            draft = await self._mutation(proposal).operator.mutate(proposal, context)
        except NothingProposed as nothing:
            return replace(proposal, verdict=_failed(nothing.code, nothing.reason))
        except ModelFailure as failure:
            return replace(proposal, verdict=_failed("model_failure", failure.message))
        child = _child(draft, proposal)
        verdict = self._refused(child, proposal)
        text, digest = dump_artifact(child.artifact)
        await self.archive.append(
            CandidateAdded(
                id=child.id,
                artifact=digest,
                parents=child.parents,
                item=child.item,
                operator=child.operator,
                rationale=child.rationale,
                cursor=child.cursor,
            ),
            blobs=[text],
        )
        return replace(proposal, child=child, verdict=verdict)

    def _refused(self, child: Candidate, proposal: Proposal) -> Verdict | None:
        try:
            self.surface.check(Change.between(proposal.parents[0].artifact, child.artifact))
            self.agent.check(child.artifact)
        except ArtifactError as error:
            return rejected("invalid_artifact", error.message)
        known = list(self.archive.state.decided.values())[: proposal.selected.commits]
        return self._duplicate(child, [d.candidate for d in known if d.val is not None])

    def _duplicate(self, child: Candidate, among: Sequence[str | None]) -> Verdict | None:
        """Refuse an artifact whose validation score is known already.

        One that only failed on a minibatch has another chance: that was a matter of luck. Before
        a child is evaluated it is compared with what was decided when its item was selected, and
        at its own decision with everything: so the verdict depends on the order of decisions
        alone, and a replay repeats it.
        """
        for identity in among:
            if identity is not None and identity != child.id:
                other = self.archive.candidate(identity)
                if other.artifact.hash == child.artifact.hash:
                    return rejected("duplicate", f"the same artifact as {other.id}")
        return None

    async def check(self, proposal: Proposal) -> Proposal:
        """Compare child and parent on the minibatch."""
        validate = self._mutation(proposal).validate
        if validate is None or proposal.child is None:
            return proposal
        after = await self.runner.evaluate(proposal.child, proposal.tasks, proposal.split)
        proposal = replace(proposal, after=tuple(after))
        return replace(proposal, verdict=validate.validate(proposal))

    async def evaluate(self, proposal: Proposal) -> Proposal:
        """Run the child on the whole validation split."""
        assert proposal.child is not None
        val = tuple(await self.runner.evaluate(proposal.child, self.tasks.val, Split.VAL))
        proposal = replace(proposal, val=val)
        failures = [rollout.failure for rollout in val if rollout.failure is not None]
        crashes = [f for f in failures if f.boundary is Boundary.HARNESS]
        if crashes:  # else a child that crashes on hard tasks would leave them out of its mean
            reason = f"the agent fails on {len(crashes)} tasks: {crashes[0].message}"
            return replace(proposal, verdict=rejected("agent_fails", reason))
        if len(failures) > MOST_FAILED * len(val):
            reason = f"{len(failures)} of {len(val)} rollouts failed: {failures[0].message}"
            return replace(proposal, verdict=_failed("rollouts_failed", reason))
        return proposal

    def settled(self, item: Proposal) -> bool:
        """Say whether the fate of an item is known."""
        return item.verdict is not None

    def failed(self, item: Proposal, error: Exception) -> Proposal:
        """Settle an item whose operator raised."""
        reason = f"{type(error).__name__}: {error}"
        return replace(item, verdict=_failed("operator_raised", reason))

    async def commit(self, item: Proposal) -> None:
        """Decide and record. The only place where decisions are made; no model is called here."""
        state, view = self.archive.state, self.archive.view()
        verdict = item.verdict
        if verdict is None and item.child is not None:
            verdict = self._duplicate(item.child, state.pool)
        if verdict is None:
            verdict = self.algorithm.gate.decide(item, view)
        await self.archive.append(
            Decided(
                item=item.item,
                order=state.commits,
                candidate=None if item.child is None else item.child.id,
                verdict=verdict,
                version=state.version + (verdict.outcome == "accepted"),
                before=mean_value(item.before),
                after=mean_value(item.after),
                val=mean_value(item.val),
            )
        )

    def _mutation(self, proposal: Proposal) -> Mutation:
        return self.algorithm.mutations[proposal.selected.operator]


def _child(draft: Draft, proposal: Proposal) -> Candidate:
    return Candidate(
        candidate_id(draft.artifact, proposal.item),
        draft.artifact,
        proposal.selected.parents,
        proposal.item,
        proposal.selected.operator,
        draft.rationale,
        proposal.selected.cursor,
    )


def _failed(code: str, reason: str) -> Verdict:
    return Verdict(outcome="failed", code=code, reason=reason)

"""What the stages of a run work with."""

from dataclasses import dataclass

from evolith.algorithms.definition import Algorithm, Mutation
from evolith.archive.archive import Archive, dump_artifact
from evolith.archive.overlap import Overlap
from evolith.core.artifact import Artifact
from evolith.core.candidate import Candidate, candidate_id
from evolith.core.change import Change
from evolith.core.events import AnyEvent, CandidateAdded, Verdict
from evolith.core.messages import Role
from evolith.core.ports import Agent, Chat
from evolith.core.surface import Surface
from evolith.core.task import TaskSet
from evolith.engine.order import Order
from evolith.engine.rollouts import Runner
from evolith.errors import ArtifactError
from evolith.models.gateway import Gateway
from evolith.operators.proposal import Proposal
from evolith.operators.protocols import Context, rejected


@dataclass(frozen=True, slots=True)
class Workshop:
    """The parts that every stage needs.

    Args:
        algorithm: The operators.
        archive: Read by all stages.
        runner: Runs rollouts.
        gateway: Through which operators call models.
        agent: Checks artifacts.
        tasks: The tasks of the run.
        surface: What may be edited.
        seed: Seed of the run.
        order: In which order validation tasks are run.
    """

    algorithm: Algorithm
    archive: Archive
    runner: Runner
    gateway: Gateway
    agent: Agent
    tasks: TaskSet
    surface: Surface
    seed: int
    order: Order

    @property
    def recorded(self) -> Overlap:
        """What overlapped in the run that is being replayed; nothing in any other."""
        source = self.gateway.source
        return Overlap() if source is None else source.state.overlap

    def context(self, item: str, ordinal: int) -> Context:
        """Return what every operator of an item may use."""

        def chat(role: Role, operator: str) -> Chat:
            return self.gateway.line(role, f"{item}/{operator}")

        return Context(self.seed, item, ordinal, self.tasks, self.surface, chat)

    def mutation(self, proposal: Proposal) -> Mutation:
        """Return the mutation that an item was selected for."""
        return self.algorithm.mutations[proposal.selected.operator]

    def child(
        self,
        proposal: Proposal,
        artifact: Artifact,
        rationale: str,
        *,
        operator: str = "",
        parents: tuple[str, ...] = (),
    ) -> Candidate:
        """Return a candidate that an item made.

        Args:
            proposal: The item.
            artifact: What was made.
            rationale: Why, for a reader.
            operator: What made it; the item's own operator unless given.
            parents: From what it was made; the item's own parents unless given.
        """
        return Candidate(
            candidate_id(artifact, proposal.item),
            artifact,
            parents or proposal.selected.parents,
            proposal.item,
            operator or proposal.selected.operator,
            rationale,
            proposal.selected.cursor,
        )

    async def add(self, child: Candidate, *others: AnyEvent) -> None:
        """Record a candidate, and with it what else happened: all of it or nothing."""
        text, digest = dump_artifact(child.artifact)
        event = CandidateAdded(
            id=child.id,
            artifact=digest,
            parents=child.parents,
            item=child.item,
            operator=child.operator,
            rationale=child.rationale,
            cursor=child.cursor,
        )
        await self.archive.append(event, *others, blobs=[text])

    def known(self, artifact: Artifact) -> Candidate | None:
        """Return the first candidate with that artifact, or None."""
        identity = self.archive.state.artifacts.get(dump_artifact(artifact)[1])
        return None if identity is None else self.archive.candidate(identity)

    def refused(self, child: Candidate, parent: Candidate) -> Verdict | None:
        """Return why a child may not be run at all, or None."""
        try:
            self.surface.check(Change.between(parent.artifact, child.artifact))
            self.agent.check(child.artifact)
        except ArtifactError as error:
            return rejected("invalid_artifact", error.message)
        return None


def failed(code: str, reason: str) -> Verdict:
    """Return a verdict of failure: an operator gave nothing usable."""
    return Verdict(outcome="failed", code=code, reason=reason)

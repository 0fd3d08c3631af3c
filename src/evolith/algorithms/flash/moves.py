"""The mutations that make no model call: fusing changes into the line, and leaving them out."""

from dataclasses import dataclass

from evolith.algorithms.flash.board import Board
from evolith.core.artifact import Artifact
from evolith.core.merge import merge
from evolith.operators.proposal import Proposal
from evolith.operators.protocols import Context, Draft, NothingProposed


@dataclass(frozen=True, slots=True)
class Fuse:
    """Adds what each held child changed to the line, by three-way merge."""

    board: Board

    async def mutate(self, proposal: Proposal, context: Context) -> Draft:  # noqa: ARG002 - the protocol
        """Return the line with the changes."""
        line, *children = proposal.parents
        artifact = line.artifact
        for child in children:
            base = self.board.archive.candidate(child.parents[0]).artifact
            artifact = merge(base, artifact, child.artifact)
        names = ", ".join(child.id for child in children)
        return _draft(line.artifact, artifact, f"Fused {names} into {line.id}.")


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """Takes what each part brought out of the line again, by three-way merge."""

    board: Board

    async def mutate(self, proposal: Proposal, context: Context) -> Draft:  # noqa: ARG002 - the protocol
        """Return the line without the parts."""
        line, *parts = proposal.parents
        artifact = line.artifact
        for part in parts:
            base = self.board.archive.candidate(part.parents[0]).artifact
            artifact = merge(part.artifact, artifact, base)
        names = ", ".join(part.id for part in parts)
        return _draft(line.artifact, artifact, f"Left {names} out of {line.id}.")


def _draft(before: Artifact, after: Artifact, rationale: str) -> Draft:
    if before.hash == after.hash:
        raise NothingProposed("unchanged", "the line would be as it is")
    return Draft(after, rationale)

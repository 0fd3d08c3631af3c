"""The mutations that make no model call: fusing changes into the line, and leaving them out."""

from dataclasses import dataclass

from evolith.algorithms.flash.board import Board
from evolith.core.merge import merge
from evolith.operators.proposal import Proposal
from evolith.operators.protocols import Context, Draft, NothingProposed


@dataclass(frozen=True, slots=True)
class Fuse:
    """Adds what each held child changed to the line, by three-way merge."""

    board: Board

    async def mutate(self, proposal: Proposal, context: Context) -> Draft:  # noqa: ARG002 - the protocol
        """Return the line with the changes."""
        return _moved(self.board, proposal, "Fused {} into {}.", back=False)


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """Takes what each part brought out of the line again, by three-way merge."""

    board: Board

    async def mutate(self, proposal: Proposal, context: Context) -> Draft:  # noqa: ARG002 - the protocol
        """Return the line without the parts."""
        return _moved(self.board, proposal, "Left {} out of {}.", back=True)


def _moved(board: Board, proposal: Proposal, rationale: str, *, back: bool) -> Draft:
    """Return the line with the change of each other parent made, or taken back.

    Raises:
        NothingProposed: the line would be as it is.
    """
    line, *others = proposal.parents
    artifact = line.artifact
    for other in others:
        base = board.archive.candidate(other.parents[0]).artifact
        old, new = (other.artifact, base) if back else (base, other.artifact)
        artifact = merge(old, artifact, new)
    if artifact.hash == line.artifact.hash:
        raise NothingProposed("unchanged", "the line would be as it is")
    names = ", ".join(other.id for other in others)
    return Draft(artifact, rationale.format(names, line.id))

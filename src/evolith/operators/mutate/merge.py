"""Merges two relatives component by component, by what each changed since their ancestor (GEPA)."""

from collections.abc import Callable

from evolith.archive.view import View
from evolith.core.candidate import Candidate
from evolith.operators.proposal import Proposal
from evolith.operators.protocols import Context, Draft


class Merge:
    """A mutation with two parents. It makes no model call.

    Args:
        candidate: Finds a candidate by id.
        view: Returns the archive as it stands.
    """

    def __init__(self, candidate: Callable[[str], Candidate], view: Callable[[], View]) -> None:
        self._candidate, self._view = candidate, view

    async def mutate(self, proposal: Proposal, context: Context) -> Draft:
        """Return the merged artifact."""
        one, two = proposal.parents
        view, rng = self._view(), context.rng("merge components")
        means = view[one.id].mean, view[two.id].mean
        base = self._candidate(proposal.selected.ancestor).artifact
        artifact = base
        taken: list[str] = []
        for path in sorted({*base, *one.artifact, *two.artifact}):
            left, right, old = (a.get(path) for a in (one.artifact, two.artifact, base))
            if right in (left, old):
                winner = one
            elif old == left:
                winner = two
            elif means[0] == means[1]:
                winner = rng.choice([one, two])
            else:
                winner = one if means[0] > means[1] else two
            artifact = artifact.replace(path, winner.artifact.get(path))
            if left != right:
                taken.append(f"{path} from {winner.id}")
        return Draft(artifact, f"Merged {one.id} and {two.id}: {', '.join(taken)}.")

"""How fast a search went, and what an accepted improvement cost."""

from collections.abc import Sequence

from evolith.archive.state import State
from evolith.report.data import Pace, Proposal
from evolith.report.lineage import makes_candidates


def pace(state: State, proposals: Sequence[Proposal]) -> Pace | None:
    """Return how fast the search went until its last decision, or None before the first."""
    last = state.latest
    if last is None or not proposals:
        return None
    accepted = sum(proposal.outcome == "accepted" for proposal in proposals)
    return Pace(
        seconds=last.seconds,
        proposals=sum(makes_candidates(proposal.operator) for proposal in proposals),
        accepted=accepted,
        held=sum(proposal.outcome == "held" for proposal in proposals),
        rollouts=last.rollouts,
        tokens=last.tokens,
        money=last.money,
    )

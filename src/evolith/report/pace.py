"""How fast a search went, and what an accepted improvement cost."""

from collections.abc import Sequence

from evolith.archive.state import State
from evolith.report.codes import makes_candidates
from evolith.report.data import Pace, Proposal, Rate


def pace(state: State, proposals: Sequence[Proposal]) -> Pace | None:
    """Return how fast the search went until its last decision, or None before the first."""
    last = state.latest
    if last is None or not proposals:
        return None
    accepted = sum(proposal.outcome == "accepted" for proposal in proposals)

    def rate(total: int) -> Rate:
        return Rate(total, 60 * total / last.seconds if last.seconds else None)

    return Pace(
        seconds=last.seconds,
        proposals=rate(sum(makes_candidates(proposal.operator) for proposal in proposals)),
        accepted=rate(accepted),
        held=rate(sum(proposal.outcome == "held" for proposal in proposals)),
        rollouts=rate(last.rollouts),
        tokens=rate(last.tokens),
        money_per_accepted=last.money / accepted if accepted and last.money else None,
    )

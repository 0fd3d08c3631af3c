"""GEPA's gate: whoever passed the minibatch and was evaluated joins the pool."""

from evolith.archive.view import View
from evolith.core.events import Verdict
from evolith.operators.proposal import Proposal, mean_value


class Joins:
    """Accepts every evaluated child; the frontier decides later who is used."""

    def decide(self, proposal: Proposal, view: View) -> Verdict:
        """Return accepted."""
        mean = mean_value(proposal.val) or 0.0
        best = view.champion.mean
        place = "a new champion" if mean > best else "kept beside the champion"
        return Verdict(
            outcome="accepted", code="joined", reason=f"{mean:.3f} on validation, {place}"
        )

    def threshold(self, view: View) -> None:
        """Return None: there is no score that a child must have."""

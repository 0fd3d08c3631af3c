"""The strict gate: only a new best mean on validation joins the pool."""

from evolith.archive.view import View
from evolith.core.events import Verdict
from evolith.operators.proposal import Proposal, mean_value
from evolith.operators.protocols import rejected


class Improves:
    """Accepts a child whose validation mean is above the champion's."""

    def decide(self, proposal: Proposal, view: View) -> Verdict:
        """Return accepted or rejected."""
        mean, best = mean_value(proposal.val) or 0.0, view.champion.mean
        if mean > best:
            reason = f"{mean:.3f} on validation, above the champion's {best:.3f}"
            return Verdict(outcome="accepted", code="new_champion", reason=reason)
        return rejected("not_above_champion", f"{mean:.3f} on validation, champion {best:.3f}")

    def threshold(self, view: View) -> float:
        """Return the champion's mean."""
        return view.champion.mean

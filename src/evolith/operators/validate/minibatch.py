"""Does the child do better than its parent on the very same tasks?"""

import math
from dataclasses import dataclass
from typing import Literal

from evolith.core.events import Verdict
from evolith.core.rollout import Rollout
from evolith.operators.proposal import Proposal
from evolith.operators.protocols import rejected


@dataclass(frozen=True, slots=True)
class MinibatchImprovement:
    """Compares sums of scores over the tasks that both have a score for.

    Args:
        rule: `strict`: the child's sum must be larger (GEPA's mutations); `no_worse`: at least as
            large (GEPA's merges).
    """

    rule: Literal["strict", "no_worse"] = "strict"

    def validate(self, proposal: Proposal) -> Verdict | None:
        """Return why the child is rejected, or None."""
        pairs = _pairs(proposal.before, proposal.after)
        if not pairs:
            return Verdict(
                outcome="failed",
                code="no_scores",
                reason="no rollout of the minibatch gave a score for both parent and child",
            )
        before, after = (math.fsum(pair[side] for pair in pairs) for side in (0, 1))
        better = after > before if self.rule == "strict" else after >= before
        if better:
            return None
        wanted = "more than" if self.rule == "strict" else "at least"
        return rejected(
            "minibatch_not_better",
            f"scored {after:g} on the minibatch, {wanted} {before:g} is needed",
        )


def _pairs(before: tuple[Rollout, ...], after: tuple[Rollout, ...]) -> list[tuple[float, float]]:
    old = {rollout.task: rollout.score.value for rollout in before if rollout.score is not None}
    return [
        (old[rollout.task], rollout.score.value)
        for rollout in after
        if rollout.score is not None and rollout.task in old
    ]

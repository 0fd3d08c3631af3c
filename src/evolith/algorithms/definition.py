"""What an algorithm is: a choice of operators and their settings, nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from evolith.operators.proposal import Proposal
from evolith.operators.protocols import Analyze, Gate, Mutate, Select, Validate

if TYPE_CHECKING:
    from evolith.algorithms.workshop import Workshop


class Step(Protocol):
    """A stage's work on an item, where an algorithm has its own."""

    async def __call__(self, workshop: "Workshop", proposal: Proposal) -> Proposal:
        """Return the item advanced, or settled."""
        ...


@dataclass(frozen=True, slots=True)
class Mutation:
    """A mutation operator in its place.

    Args:
        operator: What makes the child; None for an item that makes none and judges its parent.
        evidence: Whether it needs the parent's rollouts on the minibatch.
        validate: How child and parent are compared on the minibatch, or None: not at all.
        rollout: Does the work of the stage `rollout` instead.
        check: Does the work of the stage `check` instead.
        evaluate: Does the work of the stage `evaluate` instead.
        urgent: Whether its items go before others.
        returns: Whether it may come back to an artifact that there was: that is then the child.
    """

    operator: Mutate | None
    evidence: bool = False
    validate: Validate | None = None
    rollout: Step | None = None
    check: Step | None = None
    evaluate: Step | None = None
    urgent: bool = False
    returns: bool = False

    @property
    def timed(self) -> bool:
        """Whether its decisions depend on the order in which rollouts come back."""
        return any(step is not None for step in (self.rollout, self.check, self.evaluate))


@dataclass(frozen=True, slots=True)
class Algorithm:
    """Operators by stage.

    Args:
        name: As the config names it.
        select: Chooses parents, minibatch and mutation.
        analyze: Makes the evidence.
        mutations: By the names that `select` uses.
        gate: Decides who joins the pool.
        skip_perfect: Whether an item ends when its parent is perfect on the minibatch.
        proposals: Most items of a run; None leaves the end to the budget.
        seed_first: Whether the seed is run on the whole validation split before the search.
        claim_repeats: Passes over validation after the search that the champion's score is claimed
            from where answers differ; 0 where the search has run it whole.
    """

    name: str
    select: Select
    analyze: Analyze
    mutations: Mapping[str, Mutation]
    gate: Gate
    skip_perfect: bool = True
    proposals: int | None = None
    seed_first: bool = True
    claim_repeats: int = 0

"""What an algorithm is: a choice of operators and their settings, nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass

from evolith.operators.protocols import Analyze, Gate, Mutate, Select, Validate


@dataclass(frozen=True, slots=True)
class Mutation:
    """A mutation operator in its place.

    Args:
        operator: What makes the child.
        evidence: Whether it needs the parent's rollouts on the minibatch.
        validate: How child and parent are compared on the minibatch, or None: not at all.
    """

    operator: Mutate
    evidence: bool
    validate: Validate | None


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
    """

    name: str
    select: Select
    analyze: Analyze
    mutations: Mapping[str, Mutation]
    gate: Gate
    skip_perfect: bool = True
    proposals: int | None = None

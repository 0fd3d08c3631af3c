"""The protocols of the operators. Each is stateless and draws randomness from its item alone."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from evolith.archive.view import View
from evolith.core.artifact import Artifact
from evolith.core.events import Verdict
from evolith.core.ids import rng_for
from evolith.core.messages import Role
from evolith.core.ports import Chat
from evolith.core.surface import Surface
from evolith.core.task import TaskSet
from evolith.operators.proposal import Proposal, Record


@dataclass(frozen=True, slots=True)
class Selection:
    """What an item is to be made from.

    Args:
        parents: One candidate, or the two of a merge.
        tasks: Ids of the minibatch.
        operator: Name of the mutation operator.
        components: Paths to edit; empty where the operator chooses.
        cursor: Where the child's round-robin choice goes on.
        ancestor: The common ancestor, for a merge.
    """

    parents: tuple[str, ...]
    tasks: tuple[str, ...]
    operator: str
    components: tuple[str, ...] = ()
    cursor: int = 0
    ancestor: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """What every operator of an item may use.

    Args:
        seed: Seed of the run.
        item: Id of the item.
        ordinal: 0 for the first item of the run.
        tasks: The tasks of the run. Operators use train; answers of train rows only as
            demonstrations.
        surface: What may be edited.
        chat: Gives a metered model for a role and an operator name.
    """

    seed: int
    item: str
    ordinal: int
    tasks: TaskSet
    surface: Surface
    chat: Callable[[Role, str], Chat]

    def rng(self, operator: str) -> random.Random:
        """Return the generator of an operator for this item."""
        return rng_for(self.seed, self.item, operator)


@dataclass(frozen=True, slots=True)
class Draft:
    """A new artifact, not yet checked.

    Args:
        artifact: What was made.
        rationale: Why, for a reader.
    """

    artifact: Artifact
    rationale: str


class Select(Protocol):
    """Chooses parents, minibatch and mutation operator, from a view at a stated version."""

    async def select(self, view: View, context: Context) -> Selection | None:
        """Return what to try next, or None when nothing is left to try."""
        ...


class Analyze(Protocol):
    """Turns rollouts into evidence that a mutation can use."""

    async def analyze(self, proposal: Proposal, context: Context) -> tuple[Record, ...]:
        """Return the evidence, worst first or in task order, free of hidden answers."""
        ...


class Mutate(Protocol):
    """Makes a new artifact from its parents and the evidence."""

    async def mutate(self, proposal: Proposal, context: Context) -> Draft:
        """Return a draft.

        Raises:
            NothingProposed: the operator has nothing usable to offer; counted, with its code.
            ModelFailure: its model gave no complete answer; counted.
        """
        ...


class Validate(Protocol):
    """Compares child and parent cheaply, before the validation split is run."""

    def validate(self, proposal: Proposal) -> Verdict | None:
        """Return why the child is rejected, or None to go on."""
        ...


class Gate(Protocol):
    """Decides whether a fully evaluated child joins the pool."""

    def decide(self, proposal: Proposal, view: View) -> Verdict:
        """Return accepted or rejected, with the reason."""
        ...

    def threshold(self, view: View) -> float | None:
        """Return the validation mean that a child must exceed, or None where there is none."""
        ...


class NothingProposed(Exception):  # noqa: N818 - an outcome, not an error
    """A mutation operator has nothing usable to offer.

    Args:
        code: A short stable name, such as `no_fence`.
        reason: One sentence for a reader.
    """

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


def rejected(code: str, reason: str) -> Verdict:
    """Return a verdict of rejection."""
    return Verdict(outcome="rejected", code=code, reason=reason)

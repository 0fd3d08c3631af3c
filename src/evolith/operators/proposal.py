"""What travels through the stages: a proposal, more complete after each."""

from dataclasses import dataclass

from evolith.core.candidate import Candidate
from evolith.core.events import Selected, Verdict
from evolith.core.overlap import StoppedEarly
from evolith.core.rollout import Rollout
from evolith.core.task import Split, Task


@dataclass(frozen=True, slots=True)
class Record:
    """One rollout as evidence for a mutation: nothing in it is hidden.

    Args:
        input: What the agent was asked.
        output: What it said.
        feedback: What the scorer said.
        value: The score.
    """

    input: str
    output: str
    feedback: str
    value: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """An item of an evolution run.

    Args:
        selected: What it is made from, as recorded.
        parents: The candidates that `selected` names.
        tasks: The minibatch.
        split: The split of the minibatch: train, but validation for a merge.
        before: The parent's rollouts on the minibatch.
        evidence: What the mutation is told.
        child: The new candidate.
        after: The child's rollouts on the minibatch.
        val: The child's rollouts on the validation split.
        stopped: Why these are not all, where that decided the item.
        verdict: Set as soon as the item's fate is known.
    """

    selected: Selected
    parents: tuple[Candidate, ...]
    tasks: tuple[Task, ...]
    split: Split = Split.TRAIN
    before: tuple[Rollout, ...] = ()
    evidence: tuple[Record, ...] = ()
    child: Candidate | None = None
    after: tuple[Rollout, ...] = ()
    val: tuple[Rollout, ...] = ()
    stopped: StoppedEarly | None = None
    verdict: Verdict | None = None

    @property
    def item(self) -> str:
        """Id of the item."""
        return self.selected.item


def mean_value(rollouts: tuple[Rollout, ...]) -> float | None:
    """Return the mean score of the rollouts that have one, or None where none has."""
    values = [rollout.score.value for rollout in rollouts if rollout.score is not None]
    return sum(values) / len(values) if values else None

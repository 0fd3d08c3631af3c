"""One execution of a candidate on a task."""

from dataclasses import dataclass

from evolith.core.budget import Amount
from evolith.core.messages import Message
from evolith.core.score import Score
from evolith.core.task import Split
from evolith.errors import Boundary


@dataclass(frozen=True, slots=True)
class Trajectory:
    """What the agent did: its output and the turns that led to it.

    Args:
        output: What is scored.
        turns: The conversation, oldest first; empty where an agent does not say.
    """

    output: str
    turns: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why something gave no result. Never counted as a score of 0.

    Args:
        boundary: Whose fault it is.
        message: What happened.
    """

    boundary: Boundary
    message: str


@dataclass(frozen=True, slots=True)
class Rollout:
    """A candidate x task x attempt, with either a score or a failure.

    Args:
        candidate: Id of the candidate.
        task: Id of the task.
        split: The task's split.
        attempt: 0 for the first.
        trajectory: What the agent did, or None where it failed.
        score: The verdict, or None where there is none.
        failure: Why there is no score, or None.
        cost: What the rollout's model calls cost.
        seconds: Wall time from start to score; 0 when the rollout was read from the archive.
    """

    candidate: str
    task: str
    split: Split
    attempt: int
    trajectory: Trajectory | None
    score: Score | None
    failure: Failure | None
    cost: Amount
    seconds: float = 0.0

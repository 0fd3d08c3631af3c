"""What the scorers share: their common settings, and comparing an output with the answer."""

from abc import ABC, abstractmethod

from evolith.core.ports import Chat
from evolith.core.rollout import Trajectory
from evolith.core.score import Score
from evolith.core.settings import Settings
from evolith.core.task import Task
from evolith.scorers.answers import right_answers

SHOWN = 80
"""Characters of an output that feedback repeats."""


class ScorerSettings(Settings):
    """What every scorer can be told."""

    reveal_answer: bool = False
    """Lets feedback name the right answer, so that the reflection model sees it. The report says
    that it did."""


class AnswerScorer(ABC):
    """A scorer that compares the output with the task's answer.

    What `compare` says must not tell the answer; `score` adds it where the user asks for that.

    Args:
        reveal_answer: Whether feedback ends with the right answer.
    """

    def __init__(self, *, reveal_answer: bool) -> None:
        self._reveal_answer = reveal_answer

    def check(self, task: Task) -> None:
        """Refuse a task whose answer this scorer cannot use, before anything is paid.

        Raises:
            TasksError: naming the task.
        """
        right_answers(task)

    @abstractmethod
    def compare(self, output: str, task: Task) -> Score:
        """Judge an output; the feedback never tells the answer."""

    async def score(self, task: Task, trajectory: Trajectory, chat: Chat) -> Score:  # noqa: ARG002 - the protocol
        """Judge a trajectory by its output."""
        score = self.compare(trajectory.output, task)
        if not self._reveal_answer or score.passed:
            return score
        feedback = f"{score.feedback} Expected: {self.expected(task)}"
        return Score(score.value, score.passed, feedback)

    def expected(self, task: Task) -> str:
        """Return the right answer as the user wants to see it."""
        return " or ".join(right_answers(task))

    def example(self, task: Task) -> str | None:
        """Return the first answer that is right as an output; None where none is, as a pattern."""
        return next((text for text in right_answers(task) if self.compare(text, task).passed), None)


def right() -> Score:
    """Return the score of a right output."""
    return Score(1.0, passed=True, feedback="Right.")


def wrong(why: str) -> Score:
    """Return the score of a wrong output.

    Args:
        why: Half a sentence without a full stop, which does not tell the answer.
    """
    return Score(0.0, passed=False, feedback=f"Wrong: {why}.")


def shown(output: str) -> str:
    """Return the output in quotes, shortened, as feedback repeats it."""
    text = " ".join(output.split())
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")

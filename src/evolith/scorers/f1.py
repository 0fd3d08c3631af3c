"""`f1`: how many words output and answer share, as in SQuAD."""

import re
import string
from collections import Counter
from typing import Literal

from pydantic import Field

from evolith.core.score import Score
from evolith.core.task import Task
from evolith.scorers.answers import right_answers
from evolith.scorers.base import AnswerScorer, ScorerSettings, right


class F1Config(ScorerSettings):
    """The score is the overlap of words, without case, punctuation and articles.

    Of an answer that is a list, the best counts.
    """

    kind: Literal["f1"] = "f1"
    """Compares the words of output and answer."""
    threshold: float = Field(default=0.8, gt=0, le=1)
    """F1 from which a task counts as passed."""


class F1(AnswerScorer):
    """Compares the words of output and answer."""

    def __init__(self, config: F1Config) -> None:
        super().__init__(reveal_answer=config.reveal_answer)
        self._threshold = config.threshold

    def compare(self, output: str, task: Task) -> Score:
        """Judge an output."""
        given = words(output)
        value, shared, size = max(_f1(given, words(answer)) for answer in right_answers(task))
        if value == 1:
            return right()
        feedback = (
            f"Word overlap F1 {value:.2f}. Words of the output that are not in the answer: "
            f"{len(given) - shared} of {len(given)}; words of the answer that are missing: "
            f"{size - shared}."
        )
        return Score(value, value >= self._threshold, feedback)


def words(text: str) -> list[str]:
    """Return the words of a text as SQuAD counts them."""
    bare = "".join(char for char in text.lower() if char not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def _f1(given: list[str], answer: list[str]) -> tuple[float, int, int]:
    """Return F1, the number of shared words, and the number of the answer's."""
    shared = sum((Counter(given) & Counter(answer)).values())
    if not given or not answer:
        return float(given == answer), shared, len(answer)
    return 2 * shared / (len(given) + len(answer)), shared, len(answer)

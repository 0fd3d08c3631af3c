"""`exact`: the output is the answer."""

import re
from typing import Literal

from evolith.core.score import Score
from evolith.core.task import Task
from evolith.scorers.answers import right_answers
from evolith.scorers.base import AnswerScorer, ScorerSettings, right, shown, wrong


class ExactConfig(ScorerSettings):
    """The output must be the answer; an answer that is a list holds several right ones."""

    kind: Literal["exact"] = "exact"
    """Compares the whole output with the answer."""
    case_sensitive: bool = True
    """Whether upper and lower case count."""
    strip: bool = True
    """Whether white space at both ends is passed over."""


class Exact(AnswerScorer):
    """Compares the whole output with the answer."""

    def __init__(self, config: ExactConfig) -> None:
        super().__init__(reveal_answer=config.reveal_answer)
        self._config = config

    def compare(self, output: str, task: Task) -> Score:
        """Judge an output."""
        answers = right_answers(task)
        given = self._normal(output)
        if given in map(self._normal, answers):
            return right()
        if not output.strip():
            return wrong("the output is empty")
        if given.strip().casefold() in (answer.strip().casefold() for answer in answers):
            return wrong("the output differs from the answer in case or white space alone")
        if any(_stands_in(answer, output) for answer in answers):
            return wrong("the answer stands in the output, but not alone; write nothing else")
        longest = max(len(answer.split()) for answer in answers)
        longer = ", and is longer than an answer" if len(output.split()) > 2 * longest else ""
        return wrong(f"{shown(output)} is not the answer{longer}")

    def _normal(self, text: str) -> str:
        text = text.strip() if self._config.strip else text
        return text if self._config.case_sensitive else text.casefold()


def _stands_in(answer: str, output: str) -> bool:
    pattern = rf"(?<!\w){re.escape(answer.strip())}(?!\w)"
    return re.search(pattern, output, re.IGNORECASE) is not None

"""`contains`: the answer stands somewhere in the output."""

from typing import Literal

from evolith.core.score import Score
from evolith.core.task import Task
from evolith.scorers.answers import right_answers
from evolith.scorers.base import AnswerScorer, ScorerSettings, right, wrong


class ContainsConfig(ScorerSettings):
    """The output must hold the answer; an answer that is a list holds several right ones."""

    kind: Literal["contains"] = "contains"
    """Looks for the answer in the output; any white space equals any other."""
    case_sensitive: bool = False
    """Whether upper and lower case count."""


class Contains(AnswerScorer):
    """Looks for the answer in the output."""

    def __init__(self, config: ContainsConfig) -> None:
        super().__init__(reveal_answer=config.reveal_answer)
        self._case_sensitive = config.case_sensitive

    def compare(self, output: str, task: Task) -> Score:
        """Judge an output."""
        given = self._normal(output)
        if not given:
            return wrong("the output is empty")
        if any(self._normal(answer) in given for answer in right_answers(task)):
            return right()
        return wrong("the answer does not stand in the output")

    def _normal(self, text: str) -> str:
        text = " ".join(text.split())
        return text if self._case_sensitive else text.casefold()

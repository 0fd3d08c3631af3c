"""`regex`: a pattern finds the part of the output that counts, or the answer is the pattern."""

import re
from typing import Literal

from pydantic import field_validator

from evolith.core.score import Score
from evolith.core.task import Task
from evolith.errors import ConfigError, TasksError
from evolith.scorers.answers import right_answers
from evolith.scorers.base import AnswerScorer, ScorerSettings, right, shown, wrong


class RegexConfig(ScorerSettings):
    """What the pattern finds last must be the answer; without a pattern, the answer is one."""

    kind: Literal["regex"] = "regex"
    """Uses a regular expression as Python writes them."""
    pattern: str | None = None
    """Pattern whose first group is compared with the answer, such as `Answer: (.+)`; feedback
    shows it. Without it, the output must match the answer."""
    case_sensitive: bool = False
    """Whether upper and lower case count."""

    @field_validator("pattern")
    @classmethod
    def _with_a_group(cls, pattern: str | None) -> str | None:
        if pattern is None:
            return None
        try:
            groups = re.compile(pattern).groups
        except re.error as error:
            raise ConfigError(
                f"this is no regular expression ({error})",
                where="scorer.pattern",
                fix="correct it; in TOML, single quotes keep backslashes as they are",
            ) from None
        if not groups:
            raise ConfigError(
                "the pattern has no group, so there is nothing to compare",
                where="scorer.pattern",
                fix="put brackets around the part that is the answer",
            )
        return pattern


class Regex(AnswerScorer):
    """Finds the part of the output that counts."""

    def __init__(self, config: RegexConfig) -> None:
        super().__init__(reveal_answer=config.reveal_answer)
        self._flags = re.NOFLAG if config.case_sensitive else re.IGNORECASE
        self._pattern = None if config.pattern is None else re.compile(config.pattern, self._flags)

    def check(self, task: Task) -> None:
        """Refuse an answer that should be a pattern and is none."""
        answers = right_answers(task)
        for answer in () if self._pattern else answers:
            try:
                re.compile(answer)
            except re.error as error:
                raise TasksError(
                    f"the answer is no regular expression ({error})",
                    where=f"task {task.id}",
                    fix="correct it, or set scorer.pattern",
                ) from None

    def compare(self, output: str, task: Task) -> Score:
        """Judge an output."""
        answers = right_answers(task)
        if self._pattern is None:
            if any(re.search(answer, output, self._flags) for answer in answers):
                return right()
            return wrong("the output does not match what is expected")
        found = [match[1] for match in self._pattern.finditer(output) if match[1] is not None]
        if not found:
            return wrong(f"nothing in the output matches the pattern {self._pattern.pattern}")
        if any(self._normal(found[-1]) == self._normal(answer) for answer in answers):
            return right()
        return wrong(f"the output gives {shown(found[-1])}")

    def _normal(self, text: str) -> str:
        return text.strip() if self._flags is re.NOFLAG else text.strip().casefold()

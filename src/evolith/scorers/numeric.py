"""`numeric`: the last number of the output is the answer, within a tolerance."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from pydantic import Field

from evolith.core.score import Score
from evolith.core.task import Task
from evolith.errors import TasksError
from evolith.scorers.answers import right_answers
from evolith.scorers.base import AnswerScorer, ScorerSettings, right, wrong

NUMBER = re.compile(
    r"""
    (?P<sign>(?<![\w)\]])[-+\u2212])?           # a sign, unless it stands between two operands
    [$\u20ac\u00a3\u00a5]?                      # a currency
    (?<!\w)(?<!\d\.)                           # the 2 of CO2 is no number, nor are parts of 1.2.3
    (?P<digits>
      (?:\d{1,3}(?:[,'_\u00a0\u202f]\d{3})+(?!\d)|\d+)(?:\.\d+)?   # 1,234.5 and 1234.5
      | \.\d+                                                       # .5
    )
    (?P<power>[eE][-+]?\d{1,3}(?!\w))?
    \s?(?P<percent>%)?
    """,
    re.VERBOSE,
)


class NumericConfig(ScorerSettings):
    """The last number of the output must be the answer.

    Thousands separators, currency signs and units are passed over. Where one side alone has a
    percent sign, 45% equals both 45 and 0.45.
    """

    kind: Literal["numeric"] = "numeric"
    """Compares the last number of the output with the answer."""
    tolerance: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    """Largest difference that still counts as right."""
    relative: float = Field(default=0.0, ge=0, lt=1, allow_inf_nan=False)
    """The same as a share of the answer: 0.01 allows one percent."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written, and whether a percent sign follows it."""

    text: str
    value: Decimal
    percent: bool

    def readings(self, other: "Number") -> tuple[Decimal, ...]:
        """Return what it may mean beside `other`: with a percent sign alone, also the share."""
        if self.percent and not other.percent:
            return (self.value, self.value / 100)
        return (self.value,)


class Numeric(AnswerScorer):
    """Compares the last number of the output with the answer."""

    def __init__(self, config: NumericConfig) -> None:
        super().__init__(reveal_answer=config.reveal_answer)
        self._absolute = Decimal(str(config.tolerance))
        self._relative = Decimal(str(config.relative))

    def check(self, task: Task) -> None:
        """Refuse a task whose answer is not one number."""
        for answer in right_answers(task):
            if len(numbers(answer)) != 1:
                raise TasksError(
                    "the answer is not one number",
                    where=f"task {task.id}",
                    fix="write a number, with a unit at most, or choose another scorer",
                )

    def compare(self, output: str, task: Task) -> Score:
        """Judge an output."""
        found = numbers(output)
        if not found:
            return wrong("there is no number in the output")
        if any(self._close(found[-1], numbers(a)[0]) for a in right_answers(task)):
            return right()
        return wrong(f"the last number of the output is {found[-1].text}")

    def _close(self, given: Number, answer: Number) -> bool:
        return any(
            abs(one - two) <= max(self._absolute, self._relative * abs(two))
            for one in given.readings(answer)
            for two in answer.readings(given)
        )


def numbers(text: str) -> list[Number]:
    """Return the numbers in a text, in order."""
    found = []
    for match in NUMBER.finditer(text):
        digits = re.sub(r"[,'_\u00a0\u202f]", "", match["digits"])
        sign = "-" if match["sign"] in ("-", "\u2212") else ""
        value = Decimal(f"{sign}{digits}{match['power'] or ''}")
        found.append(Number(match[0].strip(), value, match["percent"] is not None))
    return found

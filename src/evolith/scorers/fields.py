"""`fields`: several named values, each with its own weight."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal

from pydantic import Field, field_validator

from evolith.core.score import Score
from evolith.core.task import Task, as_text
from evolith.errors import ConfigError, TasksError, did_you_mean
from evolith.scorers.base import AnswerScorer, ScorerSettings, right, shown, wrong
from evolith.scorers.json_text import read_json

Weight = Annotated[float, Field(gt=0, allow_inf_nan=False)]
AROUND = " \t*"
"""What may stand around the name and the value of a line: white space and emphasis."""


class FieldsConfig(ScorerSettings):
    """The output must give several values, as a JSON object or as lines `name: value`.

    The answer is an object with the same names. The score is the weight of the values that are
    equal, as a share of all weight.
    """

    kind: Literal["fields"] = "fields"
    """Compares values by name."""
    fields: dict[str, Weight]
    """The names, each with its weight: `{ city = 1, date = 2 }`."""

    @field_validator("fields")
    @classmethod
    def _at_least_one(cls, fields: dict[str, float]) -> dict[str, float]:
        if len({_normal(name) for name in fields} - {""}) < max(len(fields), 1):
            raise ConfigError(
                "there is no field, or two whose names differ by nothing",
                where="scorer.fields",
                fix="name each field once, with a weight, such as { city = 1, date = 2 }",
            )
        return fields


class Fields(AnswerScorer):
    """Compares values by name."""

    def __init__(self, config: FieldsConfig) -> None:
        super().__init__(reveal_answer=config.reveal_answer)
        self._weights = config.fields

    def check(self, task: Task) -> None:
        """Refuse a task whose answer lacks a field."""
        answer = _object(task.answer)
        if answer is None:
            raise TasksError(
                "the answer is no JSON object",
                where=f"task {task.id}",
                fix=f"write an object with the fields {', '.join(self._weights)}",
            )
        for name in self._weights:
            if name not in answer:
                raise TasksError(
                    f"the answer has no field {name}",
                    where=f"task {task.id}",
                    fix=did_you_mean(name, answer),
                )

    def compare(self, output: str, task: Task) -> Score:
        """Judge an output."""
        answer, given = _object(task.answer) or {}, _given(output)
        if not given:
            return wrong("the output is neither a JSON object nor lines of the form name: value")
        got, said = 0.0, []
        for name, weight in self._weights.items():
            if _normal(name) not in given:
                said.append(f"{name} is missing")
            elif _same(answer[name], given[_normal(name)]):
                got += weight
            else:
                said.append(f"{name} is not {shown(as_text(given[_normal(name)]))}")
        if not said:
            return right()
        value = got / sum(self._weights.values())
        return Score(value, passed=False, feedback=f"Wrong: {'; '.join(said)}.")


def _object(value: object) -> Mapping[str, object] | None:
    try:
        value = read_json(value) if isinstance(value, str) else value
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _given(output: str) -> dict[str, object]:
    """Return the values of an output by normal name; the last of a name counts."""
    found = _object(output)
    if found is not None:
        return {_normal(name): value for name, value in found.items()}
    lines = (line.partition(":") for line in output.splitlines())
    return {
        _normal(name.strip(f"{AROUND}-")): value.strip(AROUND)
        for name, colon, value in lines
        if colon
    }


def _same(answer: object, given: object) -> bool:
    if isinstance(answer, dict | list):
        return answer == given
    one, two = as_text(answer), as_text(given)
    try:
        return Decimal(one) == Decimal(two)
    except InvalidOperation:
        return _normal(one) == _normal(two)


def _normal(text: str) -> str:
    return " ".join(text.split()).casefold()

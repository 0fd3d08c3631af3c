"""`json`: the output is JSON that equals the answer."""

from typing import Literal

from evolith.core.score import Score
from evolith.core.task import Task, as_text
from evolith.errors import TasksError
from evolith.scorers.base import AnswerScorer, ScorerSettings, right, wrong
from evolith.scorers.json_text import read_json

LISTED = 5
"""Differences that feedback names."""


class JsonConfig(ScorerSettings):
    """The output must be JSON equal to the answer, alone or in a fence."""

    kind: Literal["json"] = "json"
    """Compares values, so that spaces and the order of keys do not count."""
    ignore_order: bool = False
    """Whether the order of lists is passed over."""
    subset: bool = False
    """Whether objects of the output may have keys that the answer lacks."""


class Json(AnswerScorer):
    """Compares JSON values."""

    def __init__(self, config: JsonConfig) -> None:
        super().__init__(reveal_answer=config.reveal_answer)
        self._config = config

    def check(self, task: Task) -> None:
        """Refuse a task whose answer is text but no JSON."""
        try:
            self._answer(task)
        except ValueError as error:
            raise TasksError(
                f"the answer is no JSON ({error})",
                where=f"task {task.id}",
                fix="write a JSON value into the field that tasks.answer names",
            ) from None

    def compare(self, output: str, task: Task) -> Score:
        """Judge an output."""
        try:
            given = read_json(output)
        except ValueError as error:
            return wrong(f"the output is no JSON ({error})")
        differences = self._differences(self._answer(task), given, "$")
        if not differences:
            return right()
        more = f"; {len(differences) - LISTED} more" if len(differences) > LISTED else ""
        return wrong("; ".join(differences[:LISTED]) + more)

    def expected(self, task: Task) -> str:
        """Return the answer as JSON."""
        return as_text(task.answer)

    def example(self, task: Task) -> str | None:
        """Return the answer as JSON: a list is one value, not several right ones."""
        return self.expected(task)

    def _answer(self, task: Task) -> object:
        """Return the answer; what is text holds JSON, as a CSV file can say it in no other way."""
        return read_json(task.answer) if isinstance(task.answer, str) else task.answer

    def _differences(self, answer: object, given: object, path: str) -> list[str]:
        """Say where two values differ, in words that tell nothing that only the answer holds."""
        if isinstance(answer, dict) and isinstance(given, dict):
            return self._of_objects(answer, given, path)
        if isinstance(answer, list) and isinstance(given, list):
            return self._of_lists(answer, given, path)
        if _is_plain(answer) and _is_plain(given):
            same = answer == given and isinstance(answer, bool) == isinstance(given, bool)
            return [] if same else [f"{path} has another value"]
        return [f"{path} is of another type"]

    def _of_objects(
        self, answer: dict[str, object], given: dict[str, object], path: str
    ) -> list[str]:
        found = [
            difference
            for key in answer
            if key in given
            for difference in self._differences(answer[key], given[key], f"{path}.{key}")
        ]
        if lacking := len(answer.keys() - given.keys()):
            found.append(f"{path} lacks {lacking} of its keys")
        extra = [key for key in given if key not in answer]
        if extra and not self._config.subset:
            found.append(f"{path} should not have {', '.join(map(as_text, extra[:LISTED]))}")
        return found

    def _of_lists(self, answer: list[object], given: list[object], path: str) -> list[str]:
        if len(answer) != len(given):
            return [f"{path} has another number of items"]
        if self._config.ignore_order:
            return [] if self._pairs(answer, given) else [f"{path} has other items"]
        return [
            difference
            for place, (one, two) in enumerate(zip(answer, given, strict=True))
            for difference in self._differences(one, two, f"{path}[{place}]")
        ]

    def _pairs(self, answer: list[object], given: list[object]) -> bool:
        """Say whether each item of one list can be paired with an equal one of the other.

        An augmenting path moves earlier pairs aside: with `subset`, the first fit may be the one
        that only a later item fits.
        """
        taken: dict[int, int] = {}

        def fits(item: int, other: int) -> bool:
            return not self._differences(answer[item], given[other], "")

        def place(item: int, tried: set[int]) -> bool:
            free = (other for other in range(len(given)) if other not in taken)
            found = next((other for other in free if fits(item, other)), None)
            if found is not None:
                taken[found] = item
                return True
            for other in list(taken):
                if other not in tried and fits(item, other):
                    tried.add(other)
                    if place(taken[other], tried):
                        taken[other] = item
                        return True
            return False

        return all(place(item, set()) for item in range(len(answer)))


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)

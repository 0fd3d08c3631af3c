"""Reads what the user's own scorer returned: a number, a truth value, or these with feedback."""

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real

from evolith.core.score import Score
from evolith.core.task import Task
from evolith.errors import EvolithError, did_you_mean
from evolith.scorers.redact import redact

KEYS = ("score", "feedback", "passed")
"""What a mapping may hold."""


def to_score(result: object, threshold: float) -> Score:
    """Return the score that the user's scorer meant.

    Args:
        result: A number from 0 to 1, a bool, a Score, a pair of value and feedback, or a mapping
            with `score` and perhaps `feedback` and `passed`.
        threshold: Value from which a task counts as passed, where the result does not say.

    Raises:
        EvolithError: it is something else, or the number is not in the range.
    """
    if isinstance(result, Score):
        return result
    if isinstance(result, Mapping):
        return _of_mapping(result, threshold)
    if isinstance(result, tuple) and len(result) == len(("value", "feedback")):
        return _of_mapping({"score": result[0], "feedback": result[1]}, threshold)
    value = _number(result)
    return Score(value, value >= threshold)


def without_answer(score: Score, task: Task) -> Score:
    """Return the score with a feedback that does not tell the answer."""
    return replace(score, feedback=redact(score.feedback, task))


def _of_mapping(result: Mapping[object, object], threshold: float) -> Score:
    for key in result:
        if key not in KEYS:
            raise EvolithError(
                f"the scorer returned a mapping with the key {key!r}",
                fix=did_you_mean(str(key), KEYS),
            )
    if "score" not in result:
        raise EvolithError(
            "the scorer returned a mapping without a score",
            fix='return {"score": 0.5, "feedback": "..."}',
        )
    value, feedback = _number(result["score"]), result.get("feedback", "")
    passed = result.get("passed", value >= threshold)
    if not isinstance(feedback, str) or not isinstance(passed, bool):
        raise EvolithError(
            "the scorer returned feedback that is no text, or passed that is no bool",
            fix='return {"score": 0.5, "feedback": "...", "passed": false}',
        )
    return Score(value, passed, feedback)


def _number(value: object) -> float:
    item = getattr(value, "item", None)  # how numpy and others give their scalars
    value = item() if callable(item) and getattr(value, "size", 1) == 1 else value
    if not isinstance(value, Real):
        what = "nothing (None)" if value is None else f"a value of type {type(value).__name__}"
        raise EvolithError(
            f"the scorer returned {what}, which is no score",
            fix="return a number from 0 to 1, a bool, a pair (value, feedback), or a mapping with "
            "score and feedback",
        )
    return float(value)

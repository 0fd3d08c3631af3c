"""What each scorer takes for right, and what it says of the rest."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from evolith.core.rollout import Trajectory
from evolith.core.score import Score
from evolith.core.task import Task, TaskSet, Value
from evolith.scorers.base import AnswerScorer
from evolith.scorers.build import build_scorer
from evolith.scorers.config import ScorerConfig
from evolith.scorers.numeric import numbers
from evolith.testing.recording_chat import RecordingChat

EMPTY = Path()
"""No scorer here needs a folder."""
RIGHT = Score(1, passed=True, feedback="Right.")
CONFIG: TypeAdapter[ScorerConfig] = TypeAdapter(ScorerConfig)


def judged(
    table: Mapping[str, object], answer: Value, output: str, others: tuple[Value, ...] = ()
) -> Score:
    tasks = [Task(f"t{n}", "?", answer=value) for n, value in enumerate((answer, *others))]
    scorer = build_scorer(
        CONFIG.validate_python(table), base=EMPTY, tasks=TaskSet(tuple(tasks), ())
    )
    assert isinstance(scorer, AnswerScorer)
    return scorer.compare(output, tasks[0])


@pytest.mark.parametrize(
    ("table", "answer", "output"),
    [
        ({}, "Paris", "Paris"),
        ({}, "Paris", "  Paris\n"),
        ({}, 42, "42"),
        ({}, True, "true"),
        ({}, ["NYC", "New York"], "New York"),
        ({"case_sensitive": False}, "Paris", "PARIS"),
    ],
)
def test_exact_takes_the_answer_itself(
    table: dict[str, object], answer: Value, output: str
) -> None:
    assert judged({"kind": "exact", **table}, answer, output) == RIGHT


@pytest.mark.parametrize(
    ("table", "output", "said"),
    [
        ({}, "", "the output is empty"),
        ({}, "paris", "case or white space alone"),
        ({"strip": False}, "Paris ", "case or white space alone"),
        ({}, "It is Paris.", "not alone"),
        ({}, "London", "'London' is not the answer."),
        ({}, "it may be London", "longer than an answer"),
    ],
)
def test_exact_says_how_an_output_misses(table: dict[str, object], output: str, said: str) -> None:
    score = judged({"kind": "exact", **table}, "Paris", output)
    assert (score.value, score.passed) == (0, False)
    assert said in score.feedback


NEWS = {"kind": "choice", "options": ["World", "Sports", "Sci/Tech"]}
CLAIMS = {"kind": "choice", "options": ["SUPPORTED", "NOT_SUPPORTED"]}
LETTERS = {"kind": "choice", "options": ["A", "B", "C"]}


@pytest.mark.parametrize(
    ("table", "answer", "output"),
    [
        (NEWS, "World", "World"),
        (NEWS, "Sci/Tech", '**"sci/tech"**.'),
        (NEWS, "Sports", "This is about a match, so it belongs to sports."),
        (NEWS, "Sports", "Sports. I am sure: sports!"),
        (CLAIMS, "NOT_SUPPORTED", "The claim is not supported."),
        (CLAIMS, "SUPPORTED", "supported"),
        (LETTERS, "B", "(B) because it has a reason"),
        (LETTERS, "C", "The answer is C."),
    ],
)
def test_choice_finds_the_option_in_a_longer_output(
    table: dict[str, object], answer: Value, output: str
) -> None:
    assert judged(table, answer, output).passed


@pytest.mark.parametrize(
    ("table", "answer", "output", "said"),
    [
        (NEWS, "World", "Weather", "names none of the options World, Sports, Sci/Tech"),
        (NEWS, "World", "Worldwide", "names none"),
        (NEWS, "World", "World or Sports", "names 2 options (World, Sports); name exactly one"),
        (NEWS, "World", "sports", "the output chooses sports"),
        (CLAIMS, "SUPPORTED", "not supported", "the output chooses not supported"),
        (LETTERS, "A", "There is a reason", "names none"),
    ],
)
def test_choice_says_what_it_found(
    table: dict[str, object], answer: Value, output: str, said: str
) -> None:
    score = judged(table, answer, output)
    assert not score.passed
    assert said in score.feedback


def test_options_that_are_taken_from_the_answers_are_not_listed() -> None:
    score = judged({"kind": "choice"}, "Paris", "Berlin", others=("London", "Rome", "Rome"))
    assert score.feedback == "Wrong: the output names none of the 3 options."
    assert judged({"kind": "choice"}, "Paris", "london", others=("London",)).feedback == (
        "Wrong: the output chooses london."
    )


def test_contains_looks_anywhere_whatever_the_white_space() -> None:
    table = {"kind": "contains"}
    assert judged(table, "New York", "in new\n york, I think").passed
    assert not judged({**table, "case_sensitive": True}, "New York", "new york").passed
    assert not judged(table, "New York", "York").passed


def test_regex_compares_what_the_group_finds_last() -> None:
    table = {"kind": "regex", "pattern": r"Answer: (\w+)"}
    assert judged(table, "Yes", "Answer: no. Wait. answer: yes").passed
    assert "gives 'no'" in judged(table, "Yes", "Answer: no").feedback
    assert r"matches the pattern Answer: (\w+)" in judged(table, "Yes", "yes").feedback
    assert not judged({**table, "case_sensitive": True}, "Yes", "Answer: yes").passed


def test_regex_takes_the_answer_as_pattern() -> None:
    table = {"kind": "regex"}
    assert judged(table, r"^colou?r$", "Color").passed
    assert judged(table, r"^colou?r$", "paint").feedback == (
        "Wrong: the output does not match what is expected."
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$1,234.50 and -3 or \u22127", ["1234.50", "-3", "-7"]),
        ("10-20, 5 - 3, x=-4", ["10", "20", "5", "3", "-4"]),
        ("CO2 and H2O and covid-19", ["19"]),
        ("12km, 3rd, 1e-3, .5, 42.", ["12", "3", "0.001", "0.5", "42"]),
        ("version 1.2.3", ["1.2"]),
        ("1'000'000 1_000 12,34 1,2345", ["1000000", "1000", "12", "34", "1", "2345"]),
        ("USD1200", []),
        ("\\boxed{17}$.", ["17"]),
        ("-$5 $-5 \u20ac7", ["-5", "-5", "7"]),
    ],
)
def test_numbers_are_found_as_people_write_them(text: str, found: list[str]) -> None:
    assert [str(number.value) for number in numbers(text)] == found


@given(st.integers(-(10**12), 10**12))
def test_thousands_separators_do_not_count(number: int) -> None:
    assert judged({"kind": "numeric"}, str(number), f"It is {number:,} km.").passed


@pytest.mark.parametrize(
    ("table", "answer", "output", "passed"),
    [
        ({}, 2.0, "so 2", True),
        ({}, "$1,200", "1200 dollars", True),
        ({}, "45%", "45", True),
        ({}, "45%", "0.45", True),
        ({}, 45, "45 %", True),
        ({}, 0.45, "45%", True),
        ({}, "45%", "4500%", False),
        ({}, 10**20 + 1, str(10**20), False),
        ({}, 3.14, "3.1", False),
        ({"tolerance": 0.05}, 3.14, "3.1", True),
        ({"relative": 0.01}, 1000, "1010", True),
        ({"relative": 0.01}, 1000, "1011", False),
        ({}, [1, 2], "2", True),
    ],
)
def test_numeric_compares_within_the_tolerance(
    table: dict[str, object], answer: Value, output: str, *, passed: bool
) -> None:
    assert judged({"kind": "numeric", **table}, answer, output).passed is passed


def test_numeric_says_what_it_read() -> None:
    assert (
        "the last number of the output is 1,001"
        in judged({"kind": "numeric"}, 1000, "from 7 to 1,001").feedback
    )
    assert "no number" in judged({"kind": "numeric"}, 1000, "none").feedback


def test_f1_counts_shared_words() -> None:
    table = {"kind": "f1"}
    assert judged(table, "The Eiffel Tower", "eiffel tower!") == RIGHT
    score = judged(table, "Eiffel Tower", "a tower in Paris")
    assert score.value == pytest.approx(0.4)
    assert not score.passed
    assert "not in the answer: 2 of 3; words of the answer that are missing: 1." in score.feedback
    assert judged(table, ["x", "Eiffel Tower"], "the Eiffel Tower").passed
    assert judged({**table, "threshold": 0.4}, "Eiffel Tower", "a tower in Paris").passed


@pytest.mark.parametrize(
    ("table", "answer", "output", "passed"),
    [
        ({}, {"a": 1, "b": [1, 2]}, '{"b": [1, 2], "a": 1.0}', True),
        ({}, {"a": 1}, 'Here:\n```json\n{"a": 1}\n```\n', True),
        ({}, '{"a": 1}', '{"a": 1}', True),
        ({}, [], "[]", True),
        ({}, None, "null", True),
        ({}, 1, "true", False),
        ({}, [1, 2], "[2, 1]", False),
        ({"ignore_order": True}, [1, 2, 2], "[2, 1, 2]", True),
        ({"ignore_order": True}, [1, 2, 2], "[2, 1, 1]", False),
        ({"ignore_order": True}, [0] * 1500, str([0] * 1500), True),
        ({}, {"a": 1}, '{"a": 1, "b": 2}', False),
        ({"subset": True}, {"a": 1}, '{"a": 1, "b": 2}', True),
        (
            {"subset": True, "ignore_order": True},
            [{"a": 1}, {"a": 1, "b": 2}],
            '[{"a": 1, "b": 2}, {"a": 1}]',
            True,
        ),
    ],
)
def test_json_compares_values(
    table: dict[str, object], answer: Value, output: str, *, passed: bool
) -> None:
    assert judged({"kind": "json", **table}, answer, output).passed is passed


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("{'a': 1}", "the output is no JSON (Expecting property name"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": {"b": 2}, "c": [1], "x": 0}', "$.a.b has another value"),
        ('{"a": {"b": 2}, "c": [1], "x": 0}', "$ should not have x"),
        ('{"a": {"b": 1}}', "$ lacks 1 of its keys"),
        ('{"a": 3, "c": [2]}', "$.a is of another type; $.c[0] has another value"),
        ('{"a": {"b": 1}, "c": [1, 2]}', "$.c has another number of items"),
    ],
)
def test_json_says_where_an_output_differs(output: str, said: str) -> None:
    score = judged({"kind": "json"}, {"a": {"b": 1}, "c": [1]}, output)
    assert not score.passed
    assert said in score.feedback


FIELDS = {"kind": "fields", "fields": {"city": 3, "Founded": 1}}
CITY: Value = {"city": "Paris", "Founded": 250, "more": "x"}


@pytest.mark.parametrize(
    ("output", "value"),
    [
        ('{"city": "paris", "founded": "250.0"}', 1),
        ("City: Paris\n- **Founded**: 250", 1),
        ('```json\n{"city": "Paris"}\n```', 0.75),
        ("founded: 250\ncity: Rome", 0.25),
        ("I do not know", 0),
        (" *" * 10_000, 0),
    ],
)
def test_fields_weighs_what_is_right(output: str, value: float) -> None:
    score = judged(FIELDS, CITY, output)
    assert score.value == value
    assert score.passed is (value == 1)


def test_fields_keeps_the_sign_of_a_number() -> None:
    table = {"kind": "fields", "fields": {"t": 1}}
    assert judged(table, {"t": -5}, "- t: -5").passed
    assert not judged(table, {"t": 5}, "- t: -5").passed


def test_fields_names_what_is_wrong_or_missing() -> None:
    feedback = judged(FIELDS, CITY, "city: Rome").feedback
    assert feedback == "Wrong: city is not 'Rome'; Founded is missing."


@pytest.mark.parametrize(
    ("table", "answer", "expected"),
    [
        ({"kind": "exact"}, ["a b", "c"], "Expected: a b or c"),
        ({"kind": "json"}, ["a", 1], 'Expected: ["a", 1]'),
    ],
)
@pytest.mark.anyio
async def test_the_answer_is_told_where_the_user_asks_for_it(
    table: dict[str, object], answer: Value, expected: str
) -> None:
    task = Task("t", "?", answer=answer)
    config = CONFIG.validate_python({**table, "reveal_answer": True})
    scorer = build_scorer(config, EMPTY, TaskSet((task,), ()))
    score = await scorer.score(task, Trajectory("z"), RecordingChat())
    assert score.feedback.endswith(expected)

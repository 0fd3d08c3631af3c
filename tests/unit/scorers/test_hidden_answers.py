"""Whatever the output and the answer: feedback does not tell the answer."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from evolith.core.task import Task, TaskSet, Value
from evolith.scorers.base import AnswerScorer
from evolith.scorers.build import build_scorer
from evolith.scorers.config import ScorerConfig
from evolith.scorers.redact import MARK, redact

CONFIG: TypeAdapter[ScorerConfig] = TypeAdapter(ScorerConfig)
WORDS = st.text("qxzjkvQXZJKV0123456789", min_size=4, max_size=12)
"""Answers that cannot stand in a sentence of ours by chance."""
DIGITS = st.integers(10**5, 10**9).map(str)
OUTPUTS = st.text() | WORDS | DIGITS | st.text("qx z:{}[]\"',.1\n", max_size=30)


@dataclass(frozen=True)
class Kind:
    """How a scorer is set up, and how a secret becomes its answer."""

    table: dict[str, object]
    secrets: st.SearchStrategy[str] = WORDS
    answer: Callable[[str], Value] = str
    output: Callable[[str], str] = str


KINDS = [
    Kind({"kind": "exact"}),
    Kind({"kind": "exact"}, answer=lambda secret: [secret, "another"]),
    Kind({"kind": "choice"}),
    Kind({"kind": "contains"}),
    Kind({"kind": "regex"}),
    Kind({"kind": "regex", "pattern": r"Answer: (.+)"}, output=lambda o: f"Answer: {o}"),
    Kind({"kind": "numeric"}, DIGITS),
    Kind({"kind": "f1"}),
    Kind({"kind": "f1"}, answer=lambda secret: f"{secret} and more"),
    Kind({"kind": "json"}, answer=lambda secret: {"a": [secret]}),
    Kind({"kind": "json"}, answer=lambda secret: {secret: 1}, output=lambda o: f'{{"a": "{o}"}}'),
    Kind({"kind": "json"}, answer=lambda s: {"a": s}, output=lambda o: f'{{"a": "{o}"}}'),
    Kind({"kind": "fields", "fields": {"a": 1}}, answer=lambda secret: {"a": secret}),
    Kind(
        {"kind": "fields", "fields": {"a": 1}},
        answer=lambda secret: {"a": secret},
        output=lambda o: f"a: {o}",
    ),
]


def scorer_for(kind: Kind, *secrets: str) -> tuple[AnswerScorer, list[Task]]:
    tasks = [Task(f"t{n}", "?", answer=kind.answer(s)) for n, s in enumerate(secrets)]
    config = CONFIG.validate_python(kind.table)
    scorer = build_scorer(config, Path(), TaskSet(tuple(tasks), ()))
    assert isinstance(scorer, AnswerScorer)
    return scorer, tasks


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.table["kind"]))
@given(st.data())
def test_feedback_holds_the_answer_only_where_the_output_does(
    kind: Kind, data: st.DataObject
) -> None:
    secret, output = data.draw(kind.secrets), kind.output(data.draw(OUTPUTS))
    assume(secret.casefold() not in output.casefold())
    scorer, (task,) = scorer_for(kind, secret)
    score = scorer.compare(output, task)
    assert not score.passed
    assert secret.casefold() not in score.feedback.casefold()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.table["kind"]))
@given(st.data())
def test_feedback_on_a_wrong_output_does_not_depend_on_the_answer(
    kind: Kind, data: st.DataObject
) -> None:
    one, two = data.draw(kind.secrets), data.draw(kind.secrets)
    output = kind.output(data.draw(OUTPUTS))
    known = output.casefold()
    assume(one.casefold() not in known and two.casefold() not in known)
    scorer, (first, second) = scorer_for(kind, one, two)
    assert scorer.compare(output, first) == scorer.compare(output, second)


def test_listed_options_are_listed_whatever_the_answer_is() -> None:
    kind = Kind({"kind": "choice", "options": ["qqqq", "zzzz"]})
    scorer, (first, second) = scorer_for(kind, "qqqq", "zzzz")
    assert scorer.compare("other", first) == scorer.compare("other", second)


@given(WORDS, st.text(), st.text(), st.sampled_from(["", " ", "-", "'"]))
def test_an_answer_is_taken_out_of_text_of_others(
    answer: str, before: str, after: str, edge: str
) -> None:
    task = Task("t", "?", answer=answer)
    for said in (answer, answer.upper(), answer.lower()):
        text = redact(f"{before}{edge}{said}{edge}{after}", task)
        assert answer.casefold() not in text.casefold()
        assert MARK in text


@given(st.lists(WORDS, min_size=5, max_size=30), st.data())
def test_a_run_of_words_of_a_long_answer_is_taken_out(
    words: list[str], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(words) - 5))
    stop = data.draw(st.integers(start + 5, len(words)))
    task = Task("t", "?", answer=" ".join(words))
    text = redact(f"It says: {', '.join(words[start:stop])}.", task)
    assert text == f"It says: {MARK}."


@pytest.mark.parametrize(
    ("answer", "text", "left"),
    [
        ("B", "Expected B, Bob got A.", f"Expected {MARK}, Bob got A."),
        (5, "It is 5 of 15.", f"It is {MARK} of 15."),
        (True, "should be true", f"should be {MARK}"),
        ("New York", "Say new  york!", f"Say {MARK}!"),
        ("->", "It is ->.", f"It is {MARK}."),
        (["x1", {"k": "y2"}], "x1, k and y2", f"{MARK}, k and {MARK}"),
        (None, "nothing to hide", "nothing to hide"),
    ],
)
def test_short_and_nested_answers_are_taken_out_as_words(
    answer: Value, text: str, left: str
) -> None:
    assert redact(text, Task("t", "?", answer=answer)) == left


def test_hidden_values_are_taken_out_but_not_small_ones() -> None:
    task = Task("t", "?", answer="x", hidden={"test": "assert f(1) == 2", "level": 2})
    assert redact("2 failed: assert f(1) == 2", task) == f"2 failed: {MARK}"

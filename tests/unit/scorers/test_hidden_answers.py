"""Whatever the output and the answer: feedback does not tell the answer."""

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
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


@given(WORDS, st.text(), st.text(), st.sampled_from([" ", "-", "_", '"', "(", "\n"]))
def test_an_answer_is_taken_out_of_text_of_others(
    answer: str, before: str, after: str, edge: str
) -> None:
    task = Task("t", "?", answer=answer)
    for said in (answer, answer.upper(), answer.lower()):
        text = redact(f"{before}{edge}{said}{edge}{after}", task)
        assert answer.casefold() not in text.casefold()
        assert MARK in text


SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in capitals": str.upper,
    "as JSON": json.dumps,
    "as JSON in JSON": lambda text: json.dumps(json.dumps(text)),
    "as Python": ascii,
    "composed": lambda text: unicodedata.normalize("NFC", text),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "in full width": lambda text: text.translate({n: n + 0xFEE0 for n in range(0x21, 0x7F)}),
    "without accents": lambda text: "".join(
        c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)
    ),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@given(
    words=st.lists(st.text("qxzjkÉéüñßйж\u5317日", min_size=2, max_size=8), min_size=1, max_size=3),
    joints=st.tuples(*[st.sampled_from([" ", "-", "_", "", ", ", "\n", "/", "\u00ad"])] * 2),
)
def test_no_spelling_of_an_answer_is_left(
    spelling: str, words: list[str], joints: tuple[str, str]
) -> None:
    said = joints[0].join(words)
    task = Task("t", "?", answer=joints[1].join(words))
    text = redact(f"It should be {SPELLINGS[spelling](said)} here", task)
    assert re.fullmatch(rf"It should be \W*{re.escape(MARK)}\W* here", text)


NUMERALS: dict[str, Callable[[int], str]] = {
    "grouped by commas": lambda n: f"{n:,}",
    "grouped by points": lambda n: f"{n:,}".replace(",", "."),
    "grouped by spaces": lambda n: f"{n:,}".replace(",", " "),
    "grouped by narrow spaces": lambda n: f"{n:,}".replace(",", "\u202f"),
    "grouped by apostrophes": lambda n: f"{n:,}".replace(",", "'"),
    "with decimals": lambda n: f"{n}.00",
    "with decimals after a comma": lambda n: f"{n},0",
    "grouped, with decimals": lambda n: f"{n:,}.50".replace(".50", ".0"),
    "with an exponent": lambda n: f"{Decimal(n):.9E}",
    "as a share of 100": lambda n: f"{n * 100}%",
    "in percent": lambda n: f"{n} percent",
    "with a sign": lambda n: f"-{n}",
    "with a unit": lambda n: f"${n} or {n}kg",
    "in a list": lambda n: f"[0,{n},0]",
    "in an identifier": lambda n: f"answer_{n}",
}


@pytest.mark.parametrize("numeral", NUMERALS)
@given(number=st.integers(1, 10**9))
def test_no_way_to_write_a_number_is_left(numeral: str, number: int) -> None:
    said = NUMERALS[numeral](number)
    for answer in (number, str(number), f"{number:,}", f"${number}.0"):
        text = redact(f"It is {said}.", Task("t", "?", answer=answer))
        assert str(number) not in text
        assert said not in text
        assert MARK in text


@given(share=st.integers(1, 99))
def test_a_share_and_its_percent_are_the_same(share: int) -> None:
    for answer in (share / 100, f"{share}%"):
        text = redact(f"It is {share}%, or {share / 100}.", Task("t", "?", answer=answer))
        assert text == f"It is {MARK}, or {MARK}."


@given(
    answer=st.text("qxz ", min_size=1, max_size=8) | st.integers(0, 10**6) | st.sampled_from("+-#"),
    words=st.lists(st.text("abcdefÉ", min_size=1, max_size=9), max_size=9),
)
def test_text_that_has_nothing_of_the_answer_is_left_as_it_is(
    answer: str | int, words: list[str]
) -> None:
    text = "It's " + " ".join(words)
    assert redact(text, Task("t", "?", answer=answer)) == text


@given(st.text("abcqxzÉ", min_size=1, max_size=3), st.text("abcqxz", min_size=1, max_size=3))
def test_a_short_answer_is_not_found_inside_of_words(answer: str, other: str) -> None:
    for word in (f"{other}{answer}", f"{answer}{other}", f"{other}{answer}{other}"):
        assert redact(word, Task("t", "?", answer=answer)) == word


@given(st.lists(WORDS, min_size=5, max_size=30), st.data())
def test_a_run_of_words_of_a_long_answer_is_taken_out(
    words: list[str], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(words) - 5))
    stop = data.draw(st.integers(start + 5, len(words)))
    task = Task("t", "?", answer=" ".join(words))
    text = redact(f"It says: {', '.join(words[start:stop])}.", task)
    assert text == f"It says: {MARK}."


@given(st.lists(WORDS, min_size=4, max_size=8, unique_by=str.casefold), st.data())
def test_most_words_of_an_answer_in_a_row_are_taken_out(
    words: list[str], data: st.DataObject
) -> None:
    size = min(5, len(words) // 2 + 1)
    start = data.draw(st.integers(0, len(words) - size))
    task = Task("t", "?", answer=" ".join(words))
    assert redact(f"It is {' '.join(words[start : start + size])}", task) == f"It is {MARK}"
    fewer = f"It is {' '.join(words[: len(words) // 2 if len(words) < 8 else 4])}"
    assert redact(fewer, task) == fewer


@pytest.mark.parametrize(
    ("answer", "text", "left"),
    [
        ("B", "Expected B, Bob got A.", f"Expected {MARK}, Bob got A."),
        (5, "It is 5 of 15.", f"It is {MARK} of 15."),
        (True, "should be true", f"should be {MARK}"),
        ("New York", "Say new  york!", f"Say {MARK}!"),
        ("->", "It is ->.", f"It is {MARK}."),
        ("C", "C, not C++ or C#", f"{MARK}, not C++ or C#"),
        ("C++", "C++, not C", f"{MARK}, not C"),
        ("s", "it's an s", f"it's an {MARK}"),
        ("Tom", "Tom's hat", f"{MARK}'s hat"),
        ("apple", "Apples, not pineapples", f"{MARK}, not pineapples"),
        ("北京", "答案是北京。", f"答案是{MARK}。"),
        ("1.2.3", "1.2.3, not 1.2", f"{MARK}, not 1.2"),
        ("2024-01-05", "2024/01/05, not 2024", f"{MARK}, not 2024"),
        (5, "v1.5, x5 and 1.5 of 5", f"v1.5, x5 and 1.5 of {MARK}"),
        (100, "5 100", f"5 {MARK}"),
        (5100, "5 100", MARK),
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

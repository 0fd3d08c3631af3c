from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.core.budget import dollars
from evolith.core.task import Split
from evolith.report.build import build_report
from evolith.report.words import clean, duration, headline, line, p_value, plural
from evolith.testing.story import Story


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("0", "$0"),
        ("0.01", "$0.01"),
        ("0.135", "$0.14"),
        ("1234.5", "$1,234.50"),
        ("0.0000673", "$0.000067"),
        ("0.0001", "$0.00010"),
        ("0.00999", "$0.0100"),
    ],
)
def test_money_keeps_two_digits_that_count(amount: str, text: str) -> None:
    assert dollars(Decimal(amount)) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0 s"),
        (0.42, "0.4 s"),
        (42.4, "42 s"),
        (59.7, "1 min 00 s"),
        (372, "6 min 12 s"),
        (11100, "3 h 05 min"),
    ],
)
def test_a_time_is_as_exact_as_a_reader_needs(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_p_and_counts_read_well() -> None:
    assert (p_value(0.0001), p_value(0.0126)) == ("p < 0.001", "p = 0.013")
    assert (plural(1, "task"), plural(1200, "task")) == ("1 task", "1,200 tasks")


@given(st.text())
def test_a_cleaned_text_can_be_written_and_moves_no_cursor(text: str) -> None:
    cleaned = clean(text)
    assert not {char for char in cleaned if ord(char) < 32 and char != "\n"}
    assert "\n" not in line(text)
    cleaned.encode()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((0.0, 0.0), "The interval holds 0: no difference is shown."),
        ((0.0, 1.0), "not a sealed test"),
    ],
)
def test_the_headline_says_what_is_shown(values: tuple[float, float], said: str) -> None:
    story = Story("s", {Split.VAL: 40})
    for candidate, value in zip(("seed", "c1"), values, strict=True):
        files = {"prompt.md": candidate}
        story.candidate(candidate, files, () if candidate == "seed" else ("seed",), candidate)
        results = {f"v{n}": value if n else 1.0 for n in range(40)}
        results["v0"] = float(candidate == "c1")
        story.rollouts(candidate, Split.VAL, results)
        story.decided(candidate, candidate, "accepted")
    assert said in headline(build_report(story.archive()))


def test_a_champion_that_is_the_seed_is_not_called_a_gain() -> None:
    story = Story("s", {Split.VAL: 1})
    story.candidate("seed", {"prompt.md": ""})
    story.rollouts("seed", Split.VAL, {"v": 1.0})
    story.decided("seed", "seed", "accepted")
    assert headline(build_report(story.archive())) == (
        "No candidate is better than the seed, so the seed is the champion. It scores 100.0%."
    )

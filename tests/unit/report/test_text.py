from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console

from evolith.core.task import Split
from evolith.errors import Boundary
from evolith.report.build import build_report
from evolith.report.data import Report
from evolith.report.text import print_report
from evolith.testing.story import Story

Printed = Callable[[Callable[[Console], None]], str]


def all_failed() -> Story:
    story = Story("failed", {Split.VAL: 3})
    story.candidate("seed", {"prompt.md": ""})
    story.rollouts("seed", Split.VAL, dict.fromkeys("abc", Boundary.PROVIDER))
    story.decided("seed", "seed", "accepted")
    return story


@pytest.fixture(scope="session", params=["news", "awkward", "large", "empty", "all failed"])
def any_run(request: pytest.FixtureRequest) -> Report:
    stories = {"empty": lambda: Story("empty"), "all failed": all_failed}
    make = stories.get(request.param)
    story = make() if make else request.getfixturevalue(request.param)
    return build_report(story.archive(), "runs/one")


def test_every_report_fits_into_80_columns(any_run: Report, printed: Printed) -> None:
    text = printed(lambda console: print_report(any_run, console))
    assert max(cell_len(line) for line in text.splitlines()) <= 80


def test_a_report_is_never_endless(any_run: Report, printed: Printed) -> None:
    assert len(printed(lambda console: print_report(any_run, console)).splitlines()) < 200


def test_no_text_of_a_model_can_move_the_cursor(any_run: Report, printed: Printed) -> None:
    text = printed(lambda console: print_report(any_run, console))
    assert not {char for char in text if ord(char) < 32} - {"\n"}
    assert "\u202e" not in text


def test_markup_in_a_name_is_shown_as_it_is(awkward: Story, printed: Printed) -> None:
    report = build_report(awkward.archive())
    assert "[red]no markup[/red]" in printed(lambda console: print_report(report, console))


def test_the_result_comes_first(report: Report, printed: Printed) -> None:
    lines = printed(lambda console: print_report(report, console)).splitlines()
    assert lines[0].split() == ["news", "finished"]
    assert lines[4].startswith("On the sealed test tasks the champion scores 46.0%")


@pytest.mark.parametrize(
    "row",
    [
        "  seed       8.0%  4.8-12.4          200",
        "  champion  46.0%  39.1-52.9         198  2 provider",
        "  gain      +37.9  +30.8 to +44.9    198",
        "  *  c6e2b8a1   41.0%  merge     c1b7733e + c09ad417",
        "  tokens in          78        449  x 5.75",
    ],
)
def test_the_figures_are_aligned(row: str, report: Report, printed: Printed) -> None:
    lines = printed(lambda console: print_report(report, console)).splitlines()
    assert row in [line.rstrip() for line in lines]


def test_a_long_list_is_cut_and_says_where_the_rest_is(report: Report, printed: Printed) -> None:
    text = printed(lambda console: print_report(report, console))
    assert "and 66 more: evolith report --json" in text


def test_a_figure_is_never_cut_for_a_long_name(awkward: Story, printed: Printed) -> None:
    text = printed(lambda console: print_report(build_report(awkward.archive()), console))
    lineage = text.split("Lineage")[1].split("What changed")[0]
    assert " 65.0% " in lineage
    assert "+1  -0" in text


def test_a_cut_diff_says_where_the_whole_one_is(awkward: Story, printed: Printed) -> None:
    report = build_report(awkward.archive(), "runs/one")
    text = printed(lambda console: print_report(report, console))
    assert "more lines: evolith export runs/one --patch -" in text


def test_a_stopped_run_says_how_to_go_on(awkward: Story, printed: Printed) -> None:
    report = build_report(awkward.archive(), "runs/one")
    assert "evolith resume runs/one" in printed(lambda console: print_report(report, console))


def test_colour_carries_nothing_that_words_do_not(report: Report, printed: Printed) -> None:
    plain = printed(lambda console: print_report(report, console))
    for word in ("+ gained", "- lost", "! The champion", "finished"):
        assert word in plain

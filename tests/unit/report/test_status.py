from collections.abc import Callable
from decimal import Decimal

from rich.cells import cell_len
from rich.console import Console

from evolith.report.status import build_status, print_status
from evolith.testing.story import Story

Printed = Callable[[Callable[[Console], None]], str]


def test_a_status_says_what_is_left_of_each_limit(news: Story, printed: Printed) -> None:
    status = build_status(news.archive(), "runs/news")
    assert [(limit.name, limit.left) for limit in status.limits] == [
        ("money", Decimal("0.5") - Decimal("0.13545460")),
        ("rollouts", Decimal(770)),
    ]
    text = printed(lambda console: print_status(status, console))
    assert "770 left of 2,000" in text
    assert "$0.36 left of $0.50" in text
    assert "47.0%  95% 37.4-56.8, ce85d6f0, seed 8.0%" in text
    assert "12  5 accepted" in text


def test_a_limit_that_was_passed_has_nothing_left() -> None:
    story = Story("s", {}, {"budget": {"seconds": 2}})
    story.session()
    story.candidate("seed", {"prompt.md": ""})
    story.ended("budget:seconds")
    story.now += 5
    story.session(2)
    assert build_status(story.archive()).limits[0].left <= 2


def test_a_run_that_has_just_begun_has_a_status(printed: Printed) -> None:
    text = printed(lambda console: print_status(build_status(Story("s").archive(), "r"), console))
    assert "nothing is evaluated yet" in text
    assert "evolith resume r" in text


def test_a_status_fits_into_80_columns(awkward: Story, printed: Printed) -> None:
    status = build_status(awkward.archive())
    text = printed(lambda console: print_status(status, console))
    assert max(cell_len(line) for line in text.splitlines()) <= 80

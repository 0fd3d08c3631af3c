from collections.abc import Callable

from rich.cells import cell_len
from rich.console import Console

from evolith.report.status import build_status, print_status
from evolith.testing.story import Story

Printed = Callable[[Callable[[Console], None]], str]


def test_a_running_asynchronous_run_shows_its_stages_and_their_age(
    busy: Story, printed: Printed
) -> None:
    status = build_status(busy.archive(), "runs/b", now=busy.now + 3)
    text = printed(lambda console: print_status(status, console))
    lines = [line.split() for line in text.splitlines()]
    assert "Stages  3.0 s ago" in text
    assert ["evaluate", "4", "2", "9", "500", "ms", "1", "3", "10.0%"] in lines
    assert "queue 1, longest 3." in " ".join(text.split())
    assert ["tentative", "candidates", "2", "1", "confirmed,", "1", "retracted"] in lines
    assert ["evaluations", "ended", "early", "1", "3", "rollouts", "saved"] in lines
    assert "3  by 2 accepted changes at most" in text
    assert "1 patched, 1 dropped; 40 tokens for repair" in text
    assert "43.5%  rejected 15.4%" in text
    assert max(cell_len(line) for line in text.splitlines()) <= 80


def test_the_stages_of_a_run_that_has_ended_have_no_age(busy: Story, printed: Printed) -> None:
    busy.ended("drained", number=2)
    status = build_status(busy.archive(), "runs/b", now=busy.now + 9000)
    text = printed(lambda console: print_status(status, console))
    assert "Stages  at the end" in text
    assert "ago" not in text


def test_a_status_of_a_line_run_says_what_is_held_and_what_is_claimed(
    flash: Story, printed: Printed
) -> None:
    text = printed(lambda console: print_status(build_status(flash.archive()), console))
    assert "1 accepted, 6 held" in text
    assert "on 6 fresh rollouts" in " ".join(text.split())
    assert "Stages" not in text

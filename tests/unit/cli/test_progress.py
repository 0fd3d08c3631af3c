import io
import re
from decimal import Decimal

import pytest
from rich.console import Console

from evolith.archive.archive import Archive
from evolith.archive.state import Entry
from evolith.cli.progress import LiveProgress, PlainProgress, Progress, progress_on
from evolith.core.budget import Budget
from evolith.core.candidate import SEED
from evolith.core.messages import Role
from evolith.core.overlap import Pulsed, StagePulse
from evolith.core.task import Split
from evolith.testing.story import Story

BUDGET = Budget(tokens=4000, money=Decimal(2), rollouts=10)


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def told(reason: str = "2 of 3 right, parent 1 of 3") -> Archive:
    """Tell of 8 seconds at work in which a second candidate proves better than the seed."""
    story = Story()
    story.session()
    story.candidate(SEED, {"prompt.md": "a"})
    story.rollouts(SEED, Split.VAL, {"v1": 0.0, "v2": 0.0, "v3": 1.0, "v4": 0.0})
    story.decided(SEED, SEED, "accepted")
    story.selected("i1", SEED, ("t1",), "reflect")
    story.called("i1/reflect", Role.REFLECT, (100, 20), "0.5")
    story.candidate("c1", {"prompt.md": "b"}, (SEED,), "i1")
    story.rollouts("c1", Split.VAL, {"v1": 1.0, "v2": 1.0, "v3": 1.0, "v4": 0.0})
    story.decided("i1", "c1", "accepted", reason=reason)
    return story.archive()


def console(*, live: bool = False, term: str = "xterm", no_color: bool = False) -> Console:
    return Console(
        file=io.StringIO(),
        width=80,
        force_terminal=live,
        color_system="standard",
        _environ={"TERM": term} | ({"NO_COLOR": "1"} if no_color else {}),
    )


def written(progress: Progress) -> str:
    file = progress.console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def last_entry(archive: Archive) -> Entry:
    return list(archive.store.entries())[-1]


def displayed(archive: Archive, budget: Budget = BUDGET) -> str:
    progress = LiveProgress(console(live=True), budget, Clock())
    with progress.shown():
        progress.watch(archive, last_entry(archive))
    return written(progress)


def test_the_display_shows_score_work_and_cost() -> None:
    shown = displayed(told())
    for text in (
        "75.0% [2",
        "1, 1 accepted",
        "8 of 10",
        "208 of 4,000",
        "$0.50 of $2.00",
        "8.0 s, about 2.0 s left by the budget of rollouts",
        "c1 accepted: 2 of 3 right, parent 1 of 3",
    ):
        assert text in shown


def test_the_display_fits_80_columns_whatever_it_shows() -> None:
    shown = displayed(told(reason="x" * 30 + " because " * 40))
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).replace("\r", "\n").split("\n")
    assert 40 < max(map(len, lines)) <= 80


def test_markup_in_a_reason_is_shown_and_not_obeyed() -> None:
    assert "[bold]loud[/bold] [/]" in displayed(told(reason="[bold]loud[/bold] [/]"))


def test_an_asynchronous_run_shows_what_its_stages_do_and_what_is_held() -> None:
    story = Story()
    story.session()
    story.candidate(SEED, {"prompt.md": "a"})
    story.decided(SEED, SEED, "accepted")
    story.selected("i1", SEED, ("t1",), "look")
    story.decided("i1", None, "skipped", "looked")
    story.selected("i2", SEED, ("t1",), "reflect")
    story.candidate("c1", {"prompt.md": "b"}, (SEED,), "i2", "reflect")
    story.decided("i2", "c1", "held", "won")
    figures = {"workers": 4, "arrived": 9, "done": 5, "longest": 3}
    times = {"waited": 1.0, "worked": 1.0, "idle": 0.0, "wait_p50": 0.1, "wait_p99": 0.2}
    stages = tuple(
        StagePulse(name=name, busy=2, waiting=waiting, **figures, **times)
        for name, waiting in (("check", 0), ("evaluate", 3))
    )
    story.tell(Pulsed(number=1, beat=1, seconds=2.0, stages=stages))
    shown = displayed(story.archive())
    assert "1, 0 accepted, 1 held" in shown
    assert "check 2, evaluate 2+3" in shown
    assert "stages" not in displayed(told())


def test_before_the_seed_is_evaluated_no_score_is_made_up() -> None:
    story = Story()
    story.session()
    assert "not known yet" in displayed(story.archive(), Budget())


def test_without_limits_no_time_is_promised() -> None:
    assert "left" not in displayed(told(), Budget())


def test_the_clock_goes_on_while_nothing_is_recorded() -> None:
    clock, archive = Clock(), told()
    progress = LiveProgress(console(live=True), Budget(seconds=120), clock)
    progress.watch(archive, last_entry(archive))
    clock.now = 52.0
    with progress.shown():
        pass
    assert "1 min 00 s of 2 min 00 s, about 1 min 00 s left" in written(progress)


def test_the_display_is_not_redrawn_for_every_event() -> None:
    archive = told()
    progress = LiveProgress(console(live=True), BUDGET, Clock())
    with progress.shown():
        for entry in archive.store.entries():
            progress.watch(archive, entry)
    assert written(progress).count("rollouts") <= 4  # the last state, drawn and left standing


def test_without_a_terminal_there_is_a_line_for_each_decision() -> None:
    archive = told()
    progress = PlainProgress(console(), BUDGET, Clock())
    with progress.shown():
        for entry in archive.store.entries():
            progress.watch(archive, entry)
    lines = written(progress).splitlines()
    assert len(lines) == 4
    assert (
        lines[2]
        == "8.0 s  best 75.0% [28.4-97.2]  1 proposal, 1 accepted  8 rollouts  208 tokens  $0.50"
    )
    assert lines[3] == "  c1 accepted: 2 of 3 right, parent 1 of 3"
    assert "\x1b" not in written(progress)


def test_a_message_to_the_user_is_shown_as_it_is() -> None:
    progress = PlainProgress(console(), BUDGET, Clock())
    progress.say("Resume with: evolith resume runs/[a]-1")
    assert written(progress) == "Resume with: evolith resume runs/[a]-1\n"


def test_colours_are_left_out_where_the_user_wants_none() -> None:
    archive = told()
    progress = LiveProgress(console(live=True, no_color=True), BUDGET, Clock())
    with progress.shown():
        progress.watch(archive, last_entry(archive))
    assert "\x1b[3" not in written(progress)  # sequences of colours begin like this


@pytest.mark.parametrize(
    ("live", "term", "kind"),
    [
        (True, "xterm", LiveProgress),
        (True, "dumb", PlainProgress),
        (False, "xterm", PlainProgress),
    ],
)
def test_only_a_real_terminal_gets_the_display(
    *, live: bool, term: str, kind: type[Progress]
) -> None:
    assert type(progress_on(console(live=live, term=term), BUDGET, Clock())) is kind

"""Shows a run while it is at work: a display on a terminal, plain lines elsewhere."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import anyio
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from evolith.archive.archive import Archive
from evolith.archive.state import Entry
from evolith.cli.figures import Figures, Reader
from evolith.core.budget import Budget, dollars
from evolith.core.events import Decided
from evolith.report.words import duration, interval, line, percent, plural

T = TypeVar("T")
REDRAW = 0.25
"""Seconds between two drawings of the display, at least."""
LINE = 30.0
"""Seconds between two plain lines where nothing is decided."""


class Progress(ABC):
    """Watches the events of a run.

    Args:
        console: Where to show them.
        budget: The limits of the run.
        clock: Returns seconds that only grow.
    """

    def __init__(self, console: Console, budget: Budget, clock: Callable[[], float]) -> None:
        self.console = console
        self.budget = budget
        self._reader = Reader(budget)
        self._clock = clock
        self._archive: Archive | None = None
        self._event_at = self._shown_at = clock()

    def watch(self, archive: Archive, entry: Entry) -> None:  # noqa: ARG002 - for subclasses
        """Take in one recorded event."""
        self._archive, self._event_at = archive, self._clock()

    async def tick(self) -> None:
        """Go on showing while no event comes, until cancelled."""
        while True:
            await anyio.sleep(REDRAW)
            self._waited()

    def say(self, text: str) -> None:
        """Show a message to the user."""
        self.console.print(Text(text), soft_wrap=True)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the run while the block lasts."""
        yield

    @abstractmethod
    def _waited(self) -> None:
        """React to time that has passed."""

    def _since_shown(self) -> float:
        return self._clock() - self._shown_at

    def _read(self) -> Figures | None:
        self._shown_at = self._clock()
        if self._archive is None:
            return None
        return self._reader.read(self._archive, self._shown_at - self._event_at)


class PlainProgress(Progress):
    """Shows plain lines: one a decision, and one now and then."""

    def watch(self, archive: Archive, entry: Entry) -> None:
        """Take in one recorded event, and show a decision."""
        super().watch(archive, entry)
        if isinstance(entry.event, Decided) and (figures := self._read()):
            self.say(f"{summary(figures)}\n  {_decision(entry.event)}")

    def _waited(self) -> None:
        if self._since_shown() >= LINE and (figures := self._read()):
            self.say(summary(figures))


class LiveProgress(Progress):
    """Keeps a display of the run up to date, and leaves the last state standing."""

    def __init__(self, console: Console, budget: Budget, clock: Callable[[], float]) -> None:
        super().__init__(console, budget, clock)
        self._live = Live(console=console, auto_refresh=False)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the run while the block lasts."""
        with self._live:
            try:
                yield
            finally:
                self._draw()

    def watch(self, archive: Archive, entry: Entry) -> None:
        """Take in one recorded event, and show what it changes."""
        super().watch(archive, entry)
        self._waited()

    def _waited(self) -> None:
        if self._since_shown() >= REDRAW:
            self._draw()

    def _draw(self) -> None:
        if figures := self._read():
            self._live.update(display(figures, self.budget), refresh=True)


def progress_on(console: Console, budget: Budget, clock: Callable[[], float]) -> Progress:
    """Return what suits the console: a display where it can be redrawn, plain lines elsewhere."""
    redraws = console.is_terminal and not console.is_dumb_terminal
    return (LiveProgress if redraws else PlainProgress)(console, budget, clock)


def summary(figures: Figures) -> str:
    """Return the state in one line."""
    parts = [
        duration(figures.seconds),
        f"best {_best(figures)}",
        f"{plural(figures.proposals, 'proposal')}, {figures.accepted} accepted{_held(figures)}",
        plural(figures.spent.rollouts, "rollout"),
        plural(figures.spent.tokens, "token"),
    ]
    return "  ".join([*parts, dollars(figures.spent.money)] if figures.spent.money else parts)


def display(figures: Figures, budget: Budget) -> Table:
    """Return the state as a table of two columns that fits 80 columns."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis")
    spent = figures.spent
    rows = {
        "best on validation": _best(figures),
        "proposals": f"{figures.proposals:,}, {figures.accepted:,} accepted{_held(figures)}",
        "rollouts": _of(spent.rollouts, budget.rollouts, _count),
        "tokens": _of(spent.tokens, budget.tokens, _count),
        "money": _of(spent.money, budget.money, dollars),
        "time": _time(figures, budget),
        "stages": figures.stages,
        "last decision": _decision(figures.last) if figures.last else "none yet",
    }
    for name, value in rows.items():
        if value:
            table.add_row(name, Text(value))
    return table


def _held(figures: Figures) -> str:
    return f", {figures.held:,} held" if figures.held else ""


def _best(figures: Figures) -> str:
    if figures.best is None:
        return "not known yet"
    return f"{percent(figures.best.value)} [{interval(figures.best)}]"


def _of(spent: T, limit: T | None, write: Callable[[T], str]) -> str:
    return write(spent) if limit is None else f"{write(spent)} of {write(limit)}"


def _count(number: int) -> str:
    return f"{number:,}"


def _time(figures: Figures, budget: Budget) -> str:
    text = _of(figures.seconds, budget.seconds, duration)
    if figures.left is not None:
        text += f", about {duration(figures.left)} left by the budget of {figures.limit}"
    return text


def _decision(decided: Decided) -> str:
    verdict = decided.verdict
    return line(f"{decided.candidate or decided.item} {verdict.outcome}: {verdict.reason}")

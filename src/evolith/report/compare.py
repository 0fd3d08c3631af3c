"""Runs side by side: for `evolith compare`."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from rich.console import Console
from rich.text import Text

from evolith.core.budget import dollars
from evolith.report.data import Estimate, Pace, Report, SplitReport
from evolith.report.page import Page
from evolith.report.words import (
    duration,
    interval,
    line,
    money_each,
    per_minute,
    percent,
    points,
    span,
)

_COLUMN = 20
"""Columns of a terminal that a run takes."""
_EQUAL = 0.1
"""Runs whose rollouts or tokens differ by more than this share had unequal budgets."""


@dataclass(frozen=True, slots=True)
class RunColumn:
    """One run among others."""

    name: str
    folder: str
    algorithm: str
    schedule: str
    seed: int
    status: str
    """`finished`, `stopped` or `open`."""
    val: Estimate | None
    """The champion's Avg@k on validation."""
    test: Estimate | None
    """The champion's Avg@k on the sealed test."""
    gain: Estimate | None
    """Champion minus seed on the sealed test."""
    rollouts: int
    tokens: int
    money: Decimal
    seconds: float
    pace: Pace | None
    wasted: float | None
    """Share of the tokens that went into nothing that is in use; None where none were spent."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Runs side by side, and what a reader must know."""

    runs: tuple[RunColumn, ...]
    notes: tuple[str, ...]


def compare(reports: Sequence[Report]) -> Compared:
    """Put reports side by side, and say what makes them unequal."""
    runs = tuple(_column(report) for report in reports)
    return Compared(runs, tuple(_notes(reports, runs)))


def print_comparison(compared: Compared, console: Console) -> None:
    """Print runs side by side, as many in a row as the console is wide."""
    page = Page(console)
    beside = max(1, (page.width - 14) // _COLUMN)
    for start in range(0, len(compared.runs), beside):
        runs = compared.runs[start : start + beside]
        rows: list[list[str | Text]] = [
            [label, *(_cut(cell) for cell in cells)] for label, *cells in _rows(runs)
        ]
        page.table(["", *(_cut(run.name).plain for run in runs)], rows)
        page.blank()
    page.points(compared.notes, "!", "bold yellow")


def _column(report: Report) -> RunColumn:
    comparison, total = report.test.comparison, report.cost.total
    return RunColumn(
        name=report.name,
        folder=report.folder,
        algorithm=report.algorithm,
        schedule=report.schedule,
        seed=report.seed,
        status=report.state.status,
        val=_score(report.val),
        test=_score(report.test) if report.champion else None,
        gain=comparison.difference if comparison else None,
        rollouts=total.rollouts,
        tokens=total.tokens,
        money=total.money,
        seconds=report.state.seconds,
        pace=report.pace,
        wasted=report.cost.wasted.tokens / total.tokens if total.tokens else None,
    )


def _score(split: SplitReport) -> Estimate | None:
    """Return the champion's Avg@k; a seed that is the champion stands for itself."""
    measured = split.champion or split.seed
    return measured.avg if measured else None


def _notes(reports: Sequence[Report], runs: Sequence[RunColumn]) -> list[str]:
    notes = []
    if len({report.tasks for report in reports}) > 1:
        notes.append("The runs did not use the same tasks and splits: scores do not compare.")
    for what in ("rollouts", "tokens"):
        spent = [getattr(run, what) for run in runs]
        if spent and max(spent) * (1 - _EQUAL) > min(spent):
            notes.append(
                f"The runs did not have equal budgets: {min(spent):,} to {max(spent):,} {what}."
            )
    unfinished = [run.folder for run in runs if run.status != "finished"]
    if unfinished:
        notes.append(f"Not finished: {', '.join(unfinished)}.")
    if any(run.test is None for run in runs):
        notes.append("Where there is no test score, only the optimistic validation score is left.")
    notes.append("Each interval is of one run alone: where two overlap, no difference is shown.")
    return notes


def _rows(runs: Sequence[RunColumn]) -> list[list[str]]:
    return [
        ["folder", *(run.folder for run in runs)],
        ["algorithm", *(run.algorithm for run in runs)],
        ["schedule", *(run.schedule for run in runs)],
        ["seed", *(str(run.seed) for run in runs)],
        ["test", *(_value(run.test) for run in runs)],
        ["gain, points", *(_gain(run.gain) for run in runs)],
        ["", *(span(run.gain) if run.gain else "" for run in runs)],
        ["validation", *(_value(run.val) for run in runs)],
        ["rollouts", *(f"{run.rollouts:,}" for run in runs)],
        ["tokens", *(f"{run.tokens:,}" for run in runs)],
        ["money", *(dollars(run.money) for run in runs)],
        ["wasted", *(percent(run.wasted) if run.wasted is not None else "-" for run in runs)],
        ["time", *(duration(run.seconds) for run in runs)],
        ["proposals", *(_proposals(run.pace) for run in runs)],
        ["$ / accepted", *(money_each(run.pace) if run.pace else "-" for run in runs)],
        ["state", *(run.status for run in runs)],
    ]


def _cut(cell: str) -> Text:
    text = Text(line(cell))
    text.truncate(_COLUMN - 2, overflow="ellipsis")
    return text


def _value(found: Estimate | None) -> str:
    return f"{percent(found.value)} {interval(found)}" if found else "-"


def _proposals(found: Pace | None) -> str:
    return f"{per_minute(found.proposals)} a minute" if found else "-"


def _gain(found: Estimate | None) -> str:
    return points(found.value) if found else "-"

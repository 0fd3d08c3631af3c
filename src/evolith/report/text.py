"""The report on a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from evolith.report import tables
from evolith.report.data import Comparison, Report, SplitReport
from evolith.report.overlap_text import print_overlap, print_pace
from evolith.report.page import Page
from evolith.report.tables import Table
from evolith.report.words import (
    claimed,
    decided,
    duration,
    headline,
    line,
    p_value,
    plural,
)

LISTED = 12
"""Rows of a long table that are shown."""
DIFF_LINES = 40
"""Lines of the champion's diff that are shown."""


def print_report(report: Report, console: Console) -> None:
    """Print a report, in 80 columns where the console has no more."""
    page = Page(console)
    _head(report, page)
    for split in (report.test, report.val):
        if split.seed:
            _split(report, split, page)
    if report.flags:
        page.heading("Keep in mind")
        page.points([flag.text for flag in report.flags], "!", "bold yellow")
    _cost(report, page)
    if report.pace:
        print_pace(report.pace, page)
    if report.overlap:
        print_overlap(report.overlap, page)
    _proposals(report, page)
    _search(report, page)
    _change(report, page)
    if report.state.resume:
        page.heading("Go on", report.state.resume)


def _head(report: Report, page: Page) -> None:
    colour = "green" if report.state.status == "finished" else "yellow"
    page.ends(Text(line(report.name), "bold"), Text(line(report.state.sentence), colour))
    sessions = plural(report.state.sessions, "session")
    if report.state.killed:
        sessions += f", {report.state.killed} killed"
    about = (report.algorithm, report.schedule, f"seed {report.seed}", sessions)
    page.text(Text(line(", ".join(filter(None, about))), "dim"), 0)
    if report.champion:
        page.text(Text.assemble(("champion ", "dim"), line(report.champion)), 0)
    page.blank()
    page.text(Text(line(headline(report)), "bold"), 0)
    if not report.test.seed:
        page.text(Text(f"Sealed test: {report.test_note}.", "dim"), 0)


def _split(report: Report, split: SplitReport, page: Page) -> None:
    aside = [plural(split.tasks, "task"), f"{plural(tables.attempts(split), 'attempt')} each"]
    aside.append(report.test_note if split.split == "test" else "the score that decides")
    page.heading("Sealed test" if split.split == "test" else "Validation", ", ".join(aside))
    figures = tables.scores(split)
    page.table(figures.columns, [_coloured(row, split.comparison) for row in figures.rows])
    if tables.same_figures(split):
        page.text(Text("One attempt and scores of 0 or 1: Pass@1 is the same.", "dim"))
    if split.split == "val" and report.claim:
        page.text(Text.assemble(("claimed  ", "dim"), claimed(report.claim)))
    if split.comparison:
        gained, lost = split.comparison.gained, split.comparison.lost
        page.blank()
        page.names(Text(f"+ gained {len(gained):>3,}  ", "green"), gained)
        page.names(Text(f"- lost   {len(lost):>3,}  ", "red"), lost)
        page.text(Text(f"McNemar's exact test: {p_value(split.comparison.p_value)}", "dim"))


def _coloured(row: Sequence[str], comparison: Comparison | None) -> list[str | Text]:
    """Return a row of scores; that of the gain in colour where its interval leaves out 0."""
    gain = comparison.difference if comparison else None
    if row[0] != "gain" or gain is None or gain.low <= 0 <= gain.high:
        return [*row]
    return [Text(cell, "green" if gain.low > 0 else "red") for cell in row]


def _cost(report: Report, page: Page) -> None:
    page.heading("Cost of the run", f"{duration(report.state.seconds)} of work")
    _listed(tables.roles(report), page)
    spending = tables.spending(report)
    if spending.rows:
        page.blank()
        page.table(spending.columns, spending.rows)
    deployed = tables.task_costs(report)
    if deployed.rows:
        page.heading("Cost of one task", "mean of the scored rollouts above, the judge left out")
        _listed(deployed, page)


def _proposals(report: Report, page: Page) -> None:
    under_way = f", {report.under_way:,} under way" if report.under_way else ""
    page.heading("Proposals", f"{decided(report)}{under_way}")
    outcomes = tables.outcomes(report)
    page.table(outcomes.columns, outcomes.rows[:LISTED])
    page.more(max(0, len(outcomes.rows) - LISTED))
    refused = tables.refused(report)
    if refused.rows:
        page.heading("Not adopted", "parent and child on the same minibatch; val where it was run")
        page.table(refused.columns, refused.rows[:LISTED])
        page.more(max(0, len(refused.rows) - LISTED))


def _search(report: Report, page: Page) -> None:
    if report.curve:
        page.heading("Best validation score")
        _listed(tables.moments(report), page)
    if len(tables.kept(report).rows) > 1:
        page.heading("Lineage", "accepted candidates; * leads to the champion")
        _listed(tables.kept(report), page)


def _change(report: Report, page: Page) -> None:
    if not report.change.files:
        return
    page.heading("What changed", "champion against seed")
    _listed(tables.files(report), page)
    page.blank()
    page.diff(report.change.diff, DIFF_LINES, f"evolith export {report.folder} --patch -")


def _listed(table: Table, page: Page) -> None:
    """Print the last rows of a table: the latest are those that matter."""
    page.more(max(0, len(table.rows) - LISTED), "earlier")
    page.table(table.columns, table.rows[-LISTED:])

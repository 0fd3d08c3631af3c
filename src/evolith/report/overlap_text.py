"""Overlapping work on a terminal, in a report and in a status."""

from rich.text import Text

from evolith.report import overlap_tables as tables
from evolith.report.data import Pace
from evolith.report.overlap_data import OverlapReport
from evolith.report.page import Page
from evolith.report.words import duration, money_each


def print_pace(pace: Pace, page: Page) -> None:
    """Print how fast the search went."""
    page.heading("Pace", f"in the {duration(pace.seconds)} until the last decision")
    table = tables.pace(pace)
    page.table(table.columns, table.rows)
    page.text(f"Money for each accepted improvement: {money_each(pace)}")


def print_stages(overlap: OverlapReport, page: Page, aside: str) -> None:
    """Print how the stages stand.

    Args:
        overlap: What is known of them.
        page: Where to print.
        aside: When that was.
    """
    if overlap.committer is None:
        return
    page.heading("Stages", aside)
    table = tables.stages(overlap)
    page.table(table.columns, table.rows)
    page.text(Text(tables.committer(overlap.committer), "dim"))


def print_overlap(overlap: OverlapReport, page: Page) -> None:
    """Print stages, staleness, and what was handed on or ended early."""
    print_stages(overlap, page, "as they were last; waits and idle shares over the whole search")
    if any(overlap.staleness):
        page.heading("Staleness", "changes accepted between selection and decision")
        table = tables.staleness(overlap.staleness)
        page.table(table.columns, table.rows)
    if overlap.stale:
        page.heading("Stale proposals", "made from a version that was no longer the newest")
        table = tables.stale(overlap)
        page.table(table.columns, table.rows)
    table = tables.early(overlap)
    if table.rows:
        page.heading("Before all was back")
        page.table(table.columns, table.rows)

from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from evolith.core.budget import Amount
from evolith.report.build import build_report
from evolith.report.compare import compare, print_comparison
from evolith.report.data import Report
from evolith.testing.story import Story

Printed = Callable[[Callable[[Console], None]], str]


def test_runs_stand_side_by_side_with_their_figures(report: Report, printed: Printed) -> None:
    other = replace(report, name="control", algorithm="best_of_n")
    text = printed(lambda console: print_comparison(compare([report, other]), console))
    rows = {line[:14].strip(): line[14:].split() for line in text.splitlines() if line.strip()}
    assert rows["algorithm"] == ["gepa", "best_of_n"]
    assert rows["test"] == ["46.0%", "39.1-52.9"] * 2
    assert rows["validation"] == ["47.0%", "37.4-56.8"] * 2
    assert rows["rollouts"] == ["1,230"] * 2
    assert rows["money"] == ["$0.14"] * 2


@pytest.mark.parametrize("count", [1, 2, 7])
def test_any_number_of_runs_fits_into_80_columns(
    count: int, awkward: Story, printed: Printed
) -> None:
    compared = compare([build_report(awkward.archive(), "runs/" + "deep/" * 30)] * count)
    text = printed(lambda console: print_comparison(compared, console))
    assert max(cell_len(line) for line in text.splitlines()) <= 80
    assert "\n  validation " in text


def test_runs_on_other_tasks_are_not_compared_in_silence(report: Report) -> None:
    notes = compare([report, replace(report, tasks="1" * 64)]).notes
    assert any("same tasks" in note for note in notes)


def test_unequal_budgets_are_named(report: Report) -> None:
    twice = replace(report, cost=replace(report.cost, total=report.cost.total.times(2)))
    notes = compare([report, twice]).notes
    assert "The runs did not have equal budgets: 1,230 to 2,460 rollouts." in notes
    near = replace(report.cost, total=report.cost.total + Amount(rollouts=9))
    assert not any("equal" in note for note in compare([report, replace(report, cost=near)]).notes)


def test_unfinished_runs_and_missing_tests_are_named(awkward: Story, report: Report) -> None:
    notes = compare([report, build_report(awkward.archive(), "runs/b")]).notes
    assert "Not finished: runs/b." in notes
    assert any("no test score" in note for note in notes)

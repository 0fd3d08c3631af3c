"""The tables of overlapping work, for all forms of a report."""

from collections.abc import Mapping

from evolith.report.codes import fate_words
from evolith.report.data import Pace
from evolith.report.overlap_data import CommitterReport, OverlapReport
from evolith.report.tables import Table
from evolith.report.words import per_minute, percent, wait

_MOST_BARS, _LONGEST_BAR = 12, 36


def pace(found: Pace) -> Table:
    """Return how many of everything there were, in all and a minute."""
    rows = [
        [name, f"{rate.total:,}", per_minute(rate)]
        for name, rate in (
            ("proposals", found.proposals),
            ("accepted", found.accepted),
            ("held", found.held),
            ("rollouts", found.rollouts),
            ("tokens", found.tokens),
        )
        if name != "held" or rate.total
    ]
    return Table(("", ">number", ">a minute"), rows)


def stages(overlap: OverlapReport) -> Table:
    """Return the figures of each stage."""
    columns = ("stage", ">workers", ">busy", ">done", ">mean wait", ">queue", ">longest", ">idle")
    return Table(
        columns,
        [
            [
                stage.name,
                f"{stage.workers:,}",
                f"{stage.busy:,}",
                f"{stage.done:,}",
                "-" if stage.wait is None else wait(stage.wait),
                f"{stage.waiting:,}",
                f"{stage.longest:,}",
                "-" if stage.idle is None else percent(stage.idle),
            ]
            for stage in overlap.stages
        ],
    )


def committer(found: CommitterReport) -> str:
    """Return how long items waited for their decision."""
    return (
        f"Committer: {found.done:,} decisions, which waited {wait(found.wait_p50)} (median) and"
        f" {wait(found.wait_p99)} (99th percentile); queue {found.waiting:,}, longest"
        f" {found.longest:,}."
    )


def staleness(counts: Mapping[int, int]) -> Table:
    """Return how many proposals were how stale, with bars."""
    last = min(max(counts, default=0), _MOST_BARS - 1)
    bars = {str(stale): counts.get(stale, 0) for stale in range(last)} if counts else {}
    beyond = sum(count for stale, count in counts.items() if stale >= last)
    if counts:
        bars[f"{last} or more" if max(counts) > last else str(last)] = beyond
    most = max(bars.values(), default=1)
    rows = [
        [mark, f"{count:,}", "#" * round(_LONGEST_BAR * count / most)]
        for mark, count in bars.items()
    ]
    return Table(("stale by", ">proposals", ""), rows)


def stale(overlap: OverlapReport) -> Table:
    """Return what became of stale proposals."""
    rows = [
        [found.fate, f"{found.items:,}", f"{found.tokens:,}", fate_words(found.fate)]
        for found in overlap.stale
    ]
    return Table(("met as", ">proposals", ">repair tokens", "~"), rows)


def early(overlap: OverlapReport) -> Table:
    """Return what was handed on or ended early; no rows where nothing was."""
    found, rows = overlap.speculation, list[list[str]]()
    if found.handed:
        said = "before all rollouts of their parent were back"
        rows.append(["proposed early", f"{found.handed:,}", said])
    if found.tentative:
        open_ones = found.tentative - found.confirmed - found.retracted
        ends = [f"{found.confirmed:,} confirmed", f"{found.retracted:,} retracted"]
        ends += [f"{open_ones:,} undecided"] if open_ones else []
        rows.append(["tentative candidates", f"{found.tentative:,}", ", ".join(ends)])
    if found.fallen:
        said = "proposals whose tentative parent was retracted"
        rows.append(["fell with it", f"{found.fallen:,}", said])
    if overlap.early.evaluations:
        saved = f"{overlap.early.saved:,} rollouts saved"
        rows.append(["evaluations ended early", f"{overlap.early.evaluations:,}", saved])
    return Table(("", ">", "~"), rows)

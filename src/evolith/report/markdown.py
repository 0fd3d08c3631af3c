"""The report as Markdown, for a pull request or a wiki."""

import re
from collections.abc import Sequence

from evolith.report import overlap_tables, tables
from evolith.report.data import Pace, Report, SplitReport
from evolith.report.overlap_data import OverlapReport
from evolith.report.tables import Table
from evolith.report.words import (
    claimed,
    clean,
    duration,
    headline,
    line,
    money_each,
    p_value,
    plural,
)

_SPECIAL = re.compile(r"([\\`*_\[\]#|~<>&$]|(?<!\w)@)")
_SHORTEST_FENCE = 3


def to_markdown(report: Report) -> str:
    """Return a report as Markdown; texts of models and users are escaped."""
    blocks = [f"# {escape(report.name)}", escape(headline(report)), _about(report)]
    for split in (report.test, report.val):
        if split.seed:
            blocks += _split(report, split)
    if report.flags:
        flags = "\n".join(f"- {escape(flag.text)}" for flag in report.flags)
        blocks += ["## Keep in mind", flags]
    blocks += ["## Cost of the run", f"{duration(report.state.seconds)} of work."]
    blocks += [_table(tables.roles(report)), _table(tables.spending(report))]
    blocks += ["## Cost of one task", _table(tables.task_costs(report))]
    if report.pace:
        blocks += _pace(report.pace)
    if report.overlap:
        blocks += _overlap(report.overlap)
    blocks += ["## Proposals", _table(tables.outcomes(report)), _table(tables.refused(report))]
    blocks += ["## Best validation score", _table(tables.moments(report))]
    blocks += ["## Lineage", _table(tables.kept(report))]
    if report.change.files:
        blocks += ["## What changed", _table(tables.files(report)), _fenced(report.change.diff)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def escape(text: str) -> str:
    """Return a text on one line that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", line(text))


def _about(report: Report) -> str:
    state = report.state
    words = (report.algorithm, report.schedule, f"seed {report.seed}", state.sentence)
    lines = [escape(", ".join(filter(None, words))), f"Champion: {escape(report.champion or '-')}"]
    lines.append(f"Sealed test: {escape(report.test_note)}")
    if state.resume:
        lines.append(f"Go on: {escape(state.resume)}")
    return "\n".join(f"- {text}" for text in lines)


def _split(report: Report, split: SplitReport) -> list[str]:
    note = report.test_note if split.split == "test" else "the score that decides"
    title = "Sealed test" if split.split == "test" else "Validation"
    blocks = [f"## {title}", f"{plural(split.tasks, 'task')}, {escape(note)}."]
    blocks.append(_table(tables.scores(split)))
    if split.split == "val" and report.claim:
        blocks.append(escape(f"Claimed: {claimed(report.claim)}"))
    if split.comparison:
        gained, lost = split.comparison.gained, split.comparison.lost
        names = [
            f"- {word} {len(ids):,}{_names(ids)}"
            for word, ids in zip(("gained", "lost"), (gained, lost), strict=True)
        ]
        names.append(f"- McNemar's exact test: {escape(p_value(split.comparison.p_value))}")
        blocks.append("\n".join(names))
    return blocks


def _pace(pace: Pace) -> list[str]:
    blocks = ["## Pace", f"In the {duration(pace.seconds)} until the last decision."]
    blocks.append(_table(overlap_tables.pace(pace)))
    return [*blocks, f"Money for each accepted improvement: {escape(money_each(pace))}"]


def _overlap(overlap: OverlapReport) -> list[str]:
    blocks = []
    if overlap.committer:
        blocks += ["## Stages", _table(overlap_tables.stages(overlap))]
        blocks.append(escape(overlap_tables.committer(overlap.committer)))
    sections = (
        ("Staleness", overlap_tables.staleness(overlap.staleness), any(overlap.staleness)),
        ("Stale proposals", overlap_tables.stale(overlap), True),
        ("Before all was back", overlap_tables.early(overlap), True),
    )
    for title, table, wanted in sections:
        if wanted and table.rows:
            blocks += [f"## {title}", _table(table)]
    return blocks


def _names(ids: Sequence[str]) -> str:
    return f": {', '.join(map(escape, ids))}" if ids else ""


def _table(table: Table) -> str:
    if not table.rows:
        return ""
    titles = [escape(column.lstrip(">~")) for column in table.columns]
    rules = ["---:" if column.startswith(">") else "---" for column in table.columns]
    rows = [titles, rules, *([escape(cell) for cell in row] for row in table.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _fenced(diff: str) -> str:
    """Return the diff in a fence longer than any in it, so that no text can end it."""
    longest = max((len(run) for run in re.findall("`+", diff)), default=0)
    fence = "`" * max(_SHORTEST_FENCE, longest + 1)
    return f"{fence}diff\n{clean(diff)}{fence}"

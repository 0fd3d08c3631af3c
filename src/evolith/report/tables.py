"""The tables of a report as plain cells, the same in the terminal, in Markdown and in HTML."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evolith.core.budget import Amount, dollars
from evolith.report.codes import verdict_words
from evolith.report.data import (
    Cause,
    CurvePoint,
    Measured,
    Node,
    Proposal,
    Report,
    RunCost,
    SplitReport,
)
from evolith.report.words import duration, interval, percent, plural, points, score, span

_CAUSES: Mapping[Cause, str] = {
    "used": "in use: seed, accepted changes, test",
    "rejected": "proposals that were rejected",
    "failed": "proposals that failed or were skipped",
    "stale": "stale proposals, dropped or discarded",
    "retracted": "proposals that fell with their parent",
    "given_up": "evaluations that were given up or lost",
    "repair": "repair calls",
    "left_over": "held changes, in nothing that was accepted",
    "lost": "tries that may be billed without an answer",
    "under_way": "proposals under way",
}
_SHORT: Mapping[Cause, str] = {
    "rejected": "rejected",
    "failed": "failed",
    "stale": "stale",
    "retracted": "retracted",
    "given_up": "given up",
    "repair": "repair",
    "left_over": "left over",
    "lost": "no answer",
}


@dataclass(frozen=True, slots=True)
class Table:
    """Aligned columns.

    Args:
        columns: Titles; `>` before one sets the column to the right, `~` lets it wrap. Without any
            title, there is no head.
        rows: As many cells each.
    """

    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]


def same_figures(split: SplitReport) -> bool:
    """Say whether Avg@k and Pass@k are the same: one attempt a task, scores of 0 and 1."""
    both = [measured for measured in (split.seed, split.champion) if measured]
    return all(m.attempts <= 1 and m.avg == m.passed for m in both)


def attempts(split: SplitReport) -> int:
    """Return the most attempts that a task of the split had."""
    return max((m.attempts for m in (split.seed, split.champion) if m), default=0)


def scores(split: SplitReport) -> Table:
    """Return the figures of seed and champion on a split, with the gain in percentage points."""
    both = [("seed", split.seed), ("champion", split.champion)]
    twice = not same_figures(split)
    rows = [[name, *_figures(m, twice=twice), _failures(m)] for name, m in both if m]
    gain = split.comparison.difference if split.comparison else None
    if gain:
        unused = ["", ""] if twice else []
        rows.append(["gain", points(gain.value), span(gain), *unused, f"{gain.n:,}", ""])
    k = attempts(split)
    second = (f">Pass@{k}", "95%") if twice else ()
    columns = ("", f">Avg@{k}", "95%", *second, ">tasks")
    if any(row[-1] for row in rows):
        return Table((*columns, "failed"), rows)
    return Table(columns, [row[:-1] for row in rows])


def roles(report: Report) -> Table:
    """Return what the calls of each role cost."""
    cost = report.cost
    rows = [[r.role.value, *_amounts(r.amount), duration(r.seconds)] for r in cost.roles]
    rows.append(["all", *_amounts(cost.total), duration(sum(r.seconds for r in cost.roles))])
    return Table(("role", ">calls", ">tokens in", ">tokens out", ">money", ">call time"), rows)


def spending(report: Report) -> Table:
    """Return what everything was spent on; the rows add up. No rows where all of it is in use."""
    total = report.cost.total
    rows = [[_CAUSES[use.cause], *_spent(use.amount, total)] for use in report.cost.uses]
    if len(rows) > 1:
        rows.append(["all", *_spent(total, total)])
    return Table(("~spent on", ">rollouts", ">tokens", ">share", ">money"), rows[1:] and rows)


def wasted(cost: RunCost) -> list[str]:
    """Return the share of the tokens that was wasted, in all and by cause; nothing for none."""
    total, waste = cost.total.tokens, cost.wasted.tokens
    if not waste:
        return []
    parts = [
        f"{_SHORT[use.cause]} {percent(use.amount.tokens / total)}"
        for use in cost.uses
        if use.cause in _SHORT and use.amount.tokens
    ]
    return [percent(waste / total), ", ".join(parts)]


def task_costs(report: Report) -> Table:
    """Return what one task costs with the seed and with the champion."""
    split = report.test if report.test.seed else report.val
    before = split.seed.cost if split.seed else None
    after = split.champion.cost if split.champion else None
    if before is None:
        return Table((), [])
    then = [before.tokens_in, before.tokens_out, before.seconds, float(before.money)]
    rows = [
        ["tokens in", f"{before.tokens_in:,.0f}"],
        ["tokens out", f"{before.tokens_out:,.0f}"],
        ["seconds", f"{before.seconds:,.2f}"],
        ["money", dollars(before.money)],
    ]
    if after is None:
        return Table(("", ">seed"), rows)
    now = [after.tokens_in, after.tokens_out, after.seconds, float(after.money)]
    shown = [f"{now[0]:,.0f}", f"{now[1]:,.0f}", f"{now[2]:,.2f}", dollars(after.money)]
    factors = [
        f"x {new / old:.2f}" if old and new else "" for old, new in zip(then, now, strict=True)
    ]
    rows = [[*row, new, factor] for row, new, factor in zip(rows, shown, factors, strict=True)]
    return Table(("", ">seed", ">champion", ">factor"), rows)


def outcomes(report: Report) -> Table:
    """Return how many items ended in which way, with the reasons in plain words."""
    counts = Counter(proposal.outcome for proposal in report.proposals)
    rows = []
    for outcome, _ in counts.most_common():
        codes = Counter(p.code for p in report.proposals if p.outcome == outcome)
        for code, count in codes.most_common():
            rows.append([outcome, f"{count:,}", code, verdict_words(code)])
    return Table(("", ">", "", "~"), rows)


def refused(report: Report) -> Table:
    """Return what was not adopted, with the reason of each; what waits or only looked is not."""
    return Table(
        ("item", "operator", ">parent", ">child", ">val", "~why"),
        [
            _refused(p)
            for p in report.proposals
            if p.outcome not in ("accepted", "held") and p.operator != "look"
        ],
    )


def moments(report: Report) -> Table:
    """Return the score curve: the moments at which the champion changed, and the end."""
    rows = [_moment(point) for point in report.curve]
    if len(rows) > 1 and report.curve[-1].candidate == report.curve[-2].candidate:
        rows[-1][-1] = "the same to the end"
    return Table((">rollouts", ">tokens", ">time", ">score", "95%", "champion"), rows)


def kept(report: Report) -> Table:
    """Return the accepted candidates; a `*` marks those that lead to the champion."""
    return Table(
        ("", "candidate", ">val", "operator", "from"),
        [
            [
                "*" if node.line else "",
                node.id,
                percent(node.val) if node.val is not None else "-",
                node.operator,
                _origin(node),
            ]
            for node in report.lineage
            if node.outcome == "accepted"
        ],
    )


def files(report: Report) -> Table:
    """Return the lines that the champion adds and removes, by file."""
    rows = [[f.path, f"+{f.added:,}", f"-{f.removed:,}"] for f in report.change.files]
    return Table(("", ">", ">"), rows)


def _origin(node: Node) -> str:
    through = f", through {plural(node.between, 'other')}" if node.between else ""
    return " + ".join(node.sources) + through


def _spent(amount: Amount, total: Amount) -> list[str]:
    share = percent(amount.tokens / total.tokens) if total.tokens else "-"
    return [f"{amount.rollouts:,}", f"{amount.tokens:,}", share, dollars(amount.money)]


def _figures(measured: Measured, *, twice: bool) -> list[str]:
    cells = []
    for found in (measured.avg, measured.passed)[: 1 + twice]:
        cells += [percent(found.value), interval(found)] if found else ["-", ""]
    return [*cells, f"{measured.tasks:,}"]


def _failures(measured: Measured) -> str:
    return ", ".join(f"{count:,} {whose}" for whose, count in measured.failures.items())


def _amounts(amount: Amount) -> list[str]:
    tokens = (f"{amount.tokens_in:,}", f"{amount.tokens_out:,}")
    return [f"{amount.calls:,}", *tokens, dollars(amount.money)]


def _refused(proposal: Proposal) -> list[str]:
    figures = [score(value) for value in (proposal.before, proposal.after, proposal.val)]
    return [proposal.item, proposal.operator, *figures, proposal.reason]


def _moment(point: CurvePoint) -> list[str]:
    spent = [f"{point.rollouts:,}", f"{point.tokens:,}", duration(point.seconds)]
    return [*spent, percent(point.val.value), interval(point.val), point.candidate]

"""Markdown tables of results, one a world: medians over the seeds."""

from collections.abc import Callable, Sequence
from statistics import median

from bench.row import Row

HEAD = (
    "system",
    "reached",
    "s to target",
    "each seed",
    "calls to target",
    "s to a hit",
    "true at end",
    "own at end",
    "proposals a minute",
    "in flight",
)
NOTE = """\
Medians over the seeds. Target: the candidate that the system would itself return truly scores at
least {target:g}; there a run ends, or after {cap:g} s. A run that did not come so far counts as its
whole length, and the median is then marked `>` where it is such a run's. A hit: some accepted
candidate reached the target, recognised or not. In the noisy world a true score t measures as
0.1 + 0.8 t."""


def tables(rows: Sequence[Row]) -> str:
    """Return a table for each world, in the order of their appearance."""
    if not rows:
        return "No results."
    worlds = list(dict.fromkeys(row.world for row in rows))
    parts = [NOTE.format(target=rows[0].target, cap=rows[0].cap_s)]
    for world in worlds:
        there = [row for row in rows if row.world == world]
        systems = dict.fromkeys(row.system for row in there)
        body = [_line(s, [row for row in there if row.system == s]) for s in systems]
        rule = ["---", *["---:"] * (len(HEAD) - 1)]
        written = "\n".join(f"| {' | '.join(cells)} |" for cells in (HEAD, rule, *body))
        parts.append(f"### {world}\n\n{written}")
    return "\n\n".join(parts)


def _line(system: str, rows: Sequence[Row]) -> list[str]:
    ordered = sorted(rows, key=lambda row: row.seed)
    seconds = [_late(row.pick_s, row.end_s) for row in ordered]
    return [
        system,
        f"{sum(row.pick_s is not None for row in rows)}/{len(rows)}",
        _middle(seconds, 1),
        ", ".join(f"{'>' * late}{value:.0f}" for value, late in seconds),
        _middle([_late(row.pick_calls, row.end_calls) for row in rows], 0),
        _middle([_late(row.hit_s, row.end_s) for row in rows], 1),
        _median(rows, lambda row: row.end_true, 2),
        _median(rows, lambda row: row.end_own, 2),
        _median(rows, lambda row: 60 * row.proposals / row.end_s, 0),
        _median(rows, lambda row: row.in_flight, 1),
    ]


def _late(value: float | None, end: float) -> tuple[float, bool]:
    """Return a value, or where the run ended and that it came no further."""
    return (end, True) if value is None else (value, False)


def _middle(values: Sequence[tuple[float, bool]], digits: int) -> str:
    middle = median(value for value, _ in values)
    late = any(missed and value <= middle for value, missed in values)
    return f"{'>' * late}{middle:,.{digits}f}"


def _median(rows: Sequence[Row], of: Callable[[Row], float], digits: int) -> str:
    return f"{median(of(row) for row in rows):,.{digits}f}"

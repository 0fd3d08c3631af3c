"""What a simulation found, on a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from evolith.report.page import Page
from evolith.report.words import line, plural
from evolith.simulate.run import Scene
from evolith.simulate.sweep import Row

COLUMNS = (
    "~setting",
    ">reached",
    ">minutes",
    ">calls",
    ">tokens",
    ">prop.",
    ">acc.",
    ">slots",
    ">waste",
)
MEANINGS = """\
minutes, calls, tokens: until the champion's true score was at the target; > where some run did not
come so far. prop., acc.: proposals decided and accepted until then. slots: share of the server's
slots at work. waste: share of the tokens for proposals that were not accepted."""
WARNING = """\
This is a simulation of a toy world, not of your tasks, your models or your scorer. Every proposal
is a reflection, and a rewrite learns one thing at a time. It can show which setting is faster here
and what a limit costs; the times, scores and prices of your run will be others."""
_THOUSAND, _MILLION = 1_000, 1_000_000


def print_sweep(rows: Sequence[Row], scene: Scene, console: Console) -> None:
    """Print rows side by side, in 80 columns where the console has no more."""
    page = Page(console)
    seeds = rows[0].seeds if rows else 0
    page.heading(
        f"Simulation of a toy world ({scene.kind}), not of your tasks",
        f"medians of {plural(seeds, 'seed')}",
    )
    page.text(_scene(scene))
    page.blank()
    page.table(COLUMNS, [_cells(row) for row in rows])
    page.blank()
    page.text(Text(line(MEANINGS), "dim"))
    page.points([WARNING], "!", "bold yellow")


def _scene(scene: Scene) -> str:
    limit = scene.requests_per_minute
    limited = f", {plural(limit, 'request')} a minute" if limit is not None else ""
    return (
        f"{plural(scene.train, 'train task')}, {plural(scene.val, 'val task')}; calls of "
        f"{scene.latency.mean:g} s (sigma {scene.latency.sigma:g}), "
        f"{plural(scene.slots, 'slot')}{limited}; target: a true score of {scene.target:g}; "
        f"at most {scene.seconds / 60:g} minutes."
    )


def _cells(row: Row) -> list[str]:
    late = ">" if row.reached < row.seeds else ""
    return [
        row.name,
        f"{row.reached}/{row.seeds}",
        f"{late}{row.seconds / 60:.1f}",
        f"{late}{row.calls:,}",
        f"{late}{_short(row.tokens)}",
        f"{row.proposals:,}",
        f"{row.accepted:,}",
        f"{100 * row.used:.0f}%",
        f"{100 * row.wasted:.0f}%",
    ]


def _short(count: int) -> str:
    if count >= _MILLION:
        return f"{count / _MILLION:.1f}M"
    return f"{count / _THOUSAND:.0f}k" if count >= _THOUSAND else str(count)

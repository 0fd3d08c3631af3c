"""`evolith run`: begin a run."""

import re
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from evolith import session
from evolith.cli.drive import drive
from evolith.cli.options import InFlight, Money, Rollouts, Schedule, Seconds, Tokens, Workers
from evolith.config import load_config
from evolith.errors import UsageError


def run(  # noqa: PLR0913, PLR0917 - one argument an option
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The config file.")],
    run_dir: Annotated[
        Path | None, typer.Option(help="The folder of the run; runs/NAME-N unless given.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="All randomness derives from it.")
    ] = None,
    rollouts: Rollouts = None,
    tokens: Tokens = None,
    money: Money = None,
    seconds: Seconds = None,
    workers: Workers = None,
    schedule: Schedule = None,
    in_flight: InFlight = None,
) -> int:
    """Evolve the artifact of a config. Options take the place of what the config says.

    Ctrl-C lets the calls under way end, and the run can be resumed; a second one stops at once.
    """
    given = {
        "seed": seed,
        "budget.rollouts": rollouts,
        "budget.tokens": tokens,
        "budget.money": money,
        "budget.seconds": seconds,
        "run.workers": workers,
        "run.schedule": schedule,
        "run.in_flight": 1 if schedule == "sync" and in_flight is None else in_flight,
    }
    settings = load_config(config, {k: v for k, v in given.items() if v is not None})
    folder = run_dir or _next_folder(Path("runs"), settings.name)
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(
            "the folder of the run is not empty",
            where=str(folder),
            fix=f"name another with --run-dir, or go on with: evolith resume {quote(str(folder))}",
        )
    print(f"Run: {folder}", flush=True)
    return drive(
        folder,
        settings.budget.budget(),
        lambda watch, stop: session.start(settings, folder, watch=watch, stop=stop),
    )


def _next_folder(runs: Path, name: str) -> Path:
    """Return the folder after the last one of that name."""
    pattern = re.compile(re.escape(name) + r"-(\d+)")
    there = (pattern.fullmatch(path.name) for path in (runs.iterdir() if runs.is_dir() else ()))
    return runs / f"{name}-{max((int(found[1]) for found in there if found), default=0) + 1}"

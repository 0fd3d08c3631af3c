"""`evolith resume`: go on with a run that stopped, with more budget where it needs some."""

from pathlib import Path
from typing import Annotated

import typer

from evolith import session
from evolith.archive.reading import reading
from evolith.cli.drive import drive
from evolith.cli.options import Base, Money, Rollouts, RunDir, Seconds, Tokens, Workers
from evolith.config import load_config
from evolith.core.budget import Budget


def resume(
    run_dir: RunDir,
    rollouts: Rollouts = None,
    tokens: Tokens = None,
    money: Money = None,
    seconds: Seconds = None,
    workers: Workers = None,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="CONFIG",
            help="Read the table [models] anew: addresses, keys, prices and limits may differ.",
        ),
    ] = None,
    base: Base = None,
) -> int:
    """Go on with a run that was stopped or killed. Nothing that was recorded is paid again.

    The limits are those of the last session unless given; they count from the run's beginning.
    """
    limits = Budget(tokens, money, rollouts, None if seconds is None else float(seconds))
    models = None if config is None else load_config(config).models
    terms = session.Terms(limits, workers, models, base)
    with reading(run_dir, quickly=True) as archive:
        budget = terms.of(session.load_settings(archive, run_dir)).budget.budget()
    return drive(
        run_dir,
        budget,
        lambda watch, stop: session.resume(run_dir, terms=terms, watch=watch, stop=stop),
    )

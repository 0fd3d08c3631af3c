"""The options that several commands share."""

from pathlib import Path
from typing import Annotated, Literal

import typer

RunDir = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of the run.")]
Candidate = Annotated[
    str, typer.Argument(help="A candidate by its id or the beginning of it, or its proposal.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace what exists.")]
Rollouts = Annotated[int | None, typer.Option(min=1, help="Most rollouts, over all sessions.")]
Tokens = Annotated[int | None, typer.Option(min=1, help="Most tokens, over all sessions.")]
Money = Annotated[float | None, typer.Option(min=0, help="Most US dollars, over all sessions.")]
Seconds = Annotated[
    float | None, typer.Option(min=0, help="Most seconds at work, over all sessions.")
]
Workers = Annotated[int | None, typer.Option(min=1, help="Rollouts at once.")]
Schedule = Annotated[
    Literal["sync", "async"] | None, typer.Option(help="Items one after another, or side by side.")
]
InFlight = Annotated[int | None, typer.Option(min=1, help="Items at once, for async.")]

"""The options that several commands share."""

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Literal

import typer


def above_zero(text: str) -> Decimal:
    """Read a number above 0.

    Raises:
        BadParameter: it is something else.
    """
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal(0)
    if not (number.is_finite() and number > 0):
        raise typer.BadParameter(f"{text!r} is not a number above 0.")
    return number


RunDir = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of the run.")]
Candidate = Annotated[
    str, typer.Argument(help="A candidate by its id or the beginning of it, or its proposal.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace what exists.")]
Base = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Where the folder of the config is now, if it was moved."),
]
Rollouts = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Most rollouts, over all sessions.")
]
Tokens = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Most tokens, over all sessions.")
]
Money = Annotated[
    Decimal | None,
    typer.Option(
        parser=above_zero, metavar="DOLLARS", help="Most US dollars, over all sessions. [x>0]"
    ),
]
Seconds = Annotated[
    Decimal | None,
    typer.Option(
        parser=above_zero, metavar="SECONDS", help="Most seconds at work, over all sessions. [x>0]"
    ),
]
Workers = Annotated[int | None, typer.Option(min=1, metavar="N", help="Rollouts at once.")]
Schedule = Annotated[
    Literal["sync", "async"] | None, typer.Option(help="Items one after another, or side by side.")
]
InFlight = Annotated[int | None, typer.Option(min=1, metavar="N", help="Items at once, for async.")]

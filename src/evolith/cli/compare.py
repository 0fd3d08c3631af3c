"""`evolith compare`: runs side by side."""

from pathlib import Path
from typing import Annotated

import typer

from evolith.archive.reading import reading
from evolith.cli.consoles import Output
from evolith.errors import UsageError
from evolith.report import compare as comparison
from evolith.report.build import build_report
from evolith.report.data import Report


def compare(
    run_dirs: Annotated[list[Path], typer.Argument(metavar="RUN RUN...", help="Folders of runs.")],
) -> None:
    """Put runs side by side, and say what makes them unequal."""
    if len(run_dirs) == 1:
        raise UsageError(
            "there is one run alone", where="evolith compare", fix="name at least two runs"
        )
    columns = comparison.compare([_report(folder) for folder in run_dirs])
    comparison.print_comparison(columns, Output())


def _report(folder: Path) -> Report:
    with reading(folder) as archive:
        return build_report(archive, str(folder))

"""Makes the picture of the README from a real run: `python -m tools.picture RUN FILE.svg`."""

import io
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from evolith.archive.reading import reading
from evolith.report.build import build_report
from evolith.report.text import print_report

WIDTH = 80
FONT_FACE = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""What would fetch a font from elsewhere."""


def picture(run_dir: Path, command: str) -> str:
    """Return an SVG of the beginning of a run's report, as it stands on a terminal."""
    terminal = Console(
        file=io.StringIO(), width=WIDTH, force_terminal=True, color_system="truecolor"
    )
    with reading(run_dir) as archive:
        print_report(build_report(archive, str(run_dir)), terminal)
    assert isinstance(terminal.file, io.StringIO)
    shown, _, _ = terminal.file.getvalue().partition("Cost of the run")
    paper = Console(file=io.StringIO(), width=WIDTH, record=True)
    paper.print(Text.from_ansi(shown.rstrip("\x1b[1m \n")))
    return FONT_FACE.sub("", paper.export_svg(title=command))


if __name__ == "__main__":
    run_dir, target = map(Path, sys.argv[1:])
    target.write_text(picture(run_dir, f"evolith report {run_dir}"), "utf-8")

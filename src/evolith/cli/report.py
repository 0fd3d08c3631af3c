"""`evolith report`: what a run gained, lost and cost."""

import json as jsonlib
from pathlib import Path
from typing import Annotated

import typer

from evolith.archive.reading import reading
from evolith.cli.consoles import Output
from evolith.cli.options import Force, RunDir
from evolith.errors import UsageError
from evolith.export import write_file
from evolith.report.build import build_report
from evolith.report.html import to_html
from evolith.report.json import to_json
from evolith.report.markdown import to_markdown
from evolith.report.text import print_report


def report(
    run_dir: RunDir,
    json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
    md: Annotated[bool, typer.Option("--md", help="Print it as Markdown.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write it as one HTML file.")] = None,
    force: Force = False,
) -> None:
    """Say what a run gained, lost and cost. The run may still be at work."""
    if json + md + (html is not None) > 1:
        raise UsageError(
            "a report has one form at a time",
            where="evolith report",
            fix="give one of --json, --md, --html FILE",
        )
    with reading(run_dir, quickly=True) as archive:
        data = build_report(archive, str(run_dir))
    if json:
        print(jsonlib.dumps(to_json(data), ensure_ascii=False, indent=2))
    elif md:
        print(to_markdown(data))
    elif html is not None:
        write_file(html, to_html(data), force=force)
        print(f"The report is in {html}")
    else:
        print_report(data, Output())

"""The reference of the command line, from the typer application."""

from typing import Any

import typer

from evolith.cli.main import VERBS, build
from tools.reference.markdown import NOTE, prose, table

NO_BRACES = str.maketrans("", "", "{}")
"""Takes away what typer puts around an argument that must be given."""


def page() -> str:
    """Return the text of the page."""
    group: Any = typer.main.get_command(build(["--help"]))
    context = typer.Context(group, info_name="evolith")
    parts = [
        "# Command line",
        NOTE,
        prose(group.help).partition("\n\n")[0],
        "How they end: [exit codes](exit-codes.md).",
        _parameters(group, context),
    ]
    for verb in VERBS:
        command = group.commands[verb]
        below = typer.Context(command, info_name=verb, parent=context)
        usage = command.get_usage(below).removeprefix("Usage: ").translate(NO_BRACES)
        parts += [
            f"## evolith {verb}",
            f"```text\n{' '.join(usage.split())}\n```",
            prose(command.help),
            _parameters(command, below),
        ]
    return "\n\n".join(parts) + "\n"


def _parameters(command: Any, context: typer.Context) -> str:
    rows = []
    for parameter in command.get_params(context):
        name, meaning = parameter.get_help_record(context)
        if not parameter.help:
            raise ValueError(f"{command.name} {name} has no help text")
        if parameter.name != "help":
            rows.append((f"`{name}`", meaning))
    return table(("argument or option", "meaning"), rows)

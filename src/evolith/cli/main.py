"""The command `evolith`: finds the verb, runs it, and turns every failure into one message."""

import importlib
import os
import signal
import sys
import threading
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated

import typer

from evolith.cli.consoles import aside
from evolith.cli.exit_codes import ExitCode
from evolith.cli.failure import explain

VERBS = (
    "init",
    "run",
    "resume",
    "status",
    "report",
    "show",
    "compare",
    "export",
    "verify",
    "replay",
    "simulate",
    "doctor",
)
"""Each is a module of this package with a function of the same name, in the order of the help."""


def run() -> None:
    """Run the command line of this process and end it with the documented code."""
    code = main(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a late Ctrl-C changes nothing any more
    if threading.active_count() > 1:  # a call that was left behind; Python would wait for its end
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)
    sys.exit(code)


def main(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code.

    Args:
        arguments: What stands after `evolith`; nothing shows the help.
    """
    arguments = list(arguments) or ["--help"]
    try:
        code = build(arguments)(arguments, prog_name="evolith", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE
    except SystemExit as end:  # typer's own way out, after --help
        return end.code if isinstance(end.code, int) else ExitCode.BUG
    except BaseException as error:  # noqa: BLE001 - this is where every error ends
        message, failed = explain(error)
        print(message, file=aside())
        return failed
    return code or ExitCode.DONE


def build(arguments: Sequence[str]) -> typer.Typer:
    """Return the application with the verbs that `arguments` need.

    A verb imports what it works with, which takes a second or more, so that only the one in use is
    loaded; all of them are where the help or a misspelt verb asks for the list.
    """
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.callback()(_evolith)
    first = arguments[0]
    named = [first] if first in VERBS else list(VERBS)
    for verb in [] if first == "--version" else named:
        module = importlib.import_module(f"evolith.cli.{verb}")
        app.command(verb)(getattr(module, verb))
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"evolith {version('evolith')}")
        raise typer.Exit


def _evolith(
    *,
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and end."
        ),
    ] = False,
) -> None:
    """Make an LLM agent better at your tasks.

    Exit codes: 0 done, 1 a fault of Evolith, 2 wrong call or file, 3 archive, 4 the model's
    server refuses, 5 stopped and can be resumed, 6 your agent or scorer
    fails, 130 stopped at once.
    """

"""What a command prints when it fails, and the exit code that goes with it."""

import errno
import os
import textwrap
import traceback
from collections.abc import Iterator

import typer

from evolith.cli.exit_codes import ExitCode
from evolith.errors import EvolithError, UsageError

MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
"""Faults of the machine that its user can mend."""
WIDTH = 80
"""Columns that a message may take."""
NO_BREAK = "\0"
"""Stands for a space at which no line may break."""


def explain(error: BaseException) -> tuple[str, int]:
    """Return the message for a failed command, and its exit code.

    It is no traceback, but for a fault of Evolith itself where EVOLITH_DEBUG=1 is set.
    """
    leaves = list(_leaves(error))
    known = [leaf for leaf in leaves if isinstance(leaf, EvolithError)]
    if any(isinstance(leaf, KeyboardInterrupt) for leaf in leaves):
        return "Stopped.", ExitCode.ABORTED
    if len(known) == len(leaves):
        return wrapped(str(known[0])), known[0].exit_code
    if isinstance(error, typer.TyperException):
        return wrapped(str(_usage(error))), error.exit_code
    if isinstance(error, typer.Abort):
        return "Stopped.", ExitCode.ABORTED
    if isinstance(error, OSError) and error.errno in MACHINE:
        where = str(error.filename or "output")
        refused = UsageError(
            str(error.strerror).lower(), where=where, fix="make room, or work where you may write"
        )
        return wrapped(str(refused)), refused.exit_code
    return _bug(error), ExitCode.BUG


def wrapped(message: str, width: int = WIDTH) -> str:
    """Return a message with no line longer than `width`, but for a path, an address or a command.

    A command, which stands at the end of a line, stays in one piece, so that it can be copied.
    """
    return "\n".join(part for line in message.split("\n") for part in _wrapped(line, width))


def _wrapped(line: str, width: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    text, colon, rest = line.partition(": evolith ")
    command = f": {f'evolith {rest}'.replace(' ', NO_BREAK)}" if colon else ""
    parts = textwrap.wrap(
        text + command,
        width,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [part.replace(NO_BREAK, " ") for part in parts] or [""]


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors inside groups: what fails in a task group arrives in one."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _usage(error: typer.TyperException) -> UsageError:
    what, _, meant = error.format_message().strip().partition(" Did you mean ")
    what = what.rstrip(".").replace(": Value error, ", ": ")
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "evolith"
    fix = f"see what it takes with: {command} --help"
    return UsageError(
        what[:1].lower() + what[1:],
        where=command,
        fix=f"did you mean {meant.rstrip('?')}? Else {fix}" if meant else fix,
    )


def _bug(error: BaseException) -> str:
    if os.environ.get("EVOLITH_DEBUG") == "1":
        return "".join(traceback.format_exception(error))
    leaf = next(_leaves(error))
    return (
        f"A fault in Evolith: {type(leaf).__name__}: {leaf}\n"
        "  What was recorded is safe. Please report this, with what EVOLITH_DEBUG=1 prints."
    )

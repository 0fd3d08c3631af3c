"""What a command prints when it fails, and the exit code that goes with it."""

import errno
import os
import traceback
from collections.abc import Iterator

import typer

from evolith.cli.exit_codes import ExitCode
from evolith.errors import EvolithError, UsageError

MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
"""Faults of the machine that its user can mend."""


def explain(error: BaseException) -> tuple[str, int]:
    """Return the message for a failed command, and its exit code.

    It is no traceback, but for a fault of Evolith itself where EVOLITH_DEBUG=1 is set.
    """
    leaves = list(_leaves(error))
    known = [leaf for leaf in leaves if isinstance(leaf, EvolithError)]
    if any(isinstance(leaf, KeyboardInterrupt) for leaf in leaves):
        return "Stopped.", ExitCode.ABORTED
    if len(known) == len(leaves):
        return str(known[0]), known[0].exit_code
    if isinstance(error, typer.TyperException):
        return str(_usage(error)), error.exit_code
    if isinstance(error, typer.Abort):
        return "Stopped.", ExitCode.ABORTED
    if isinstance(error, OSError) and error.errno in MACHINE:
        where = str(error.filename or "output")
        refused = UsageError(
            str(error.strerror).lower(), where=where, fix="make room, or work where you may write"
        )
        return str(refused), refused.exit_code
    return _bug(error), ExitCode.BUG


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

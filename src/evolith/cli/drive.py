"""Works on a run in the foreground: progress, Ctrl-C, and what is said at the end."""

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from shlex import quote

import anyio
from rich.console import Console

from evolith.archive.archive import Watch
from evolith.archive.reading import reading
from evolith.cli.consoles import Output, aside
from evolith.cli.exit_codes import ExitCode
from evolith.cli.failure import wrapped
from evolith.cli.progress import Progress, progress_on
from evolith.cli.signals import heed_signals
from evolith.core.budget import Budget
from evolith.engine.stop import Stop
from evolith.errors import EvolithError, ProviderError, UserCodeFailed
from evolith.report.build import build_report
from evolith.report.text import print_report
from evolith.session import Outcome
from evolith.session.outcome import FINISHED

Work = Callable[[Watch, Stop], Awaitable[Outcome]]
"""Starts or resumes a run with what watches it and what can stop it."""


def drive(run_dir: Path, budget: Budget, work: Work) -> int:
    """Work on a run until it ends or is stopped; print its report; return the exit code.

    Args:
        run_dir: The run, as the user names it.
        budget: Its limits, for the display.
        work: What to do.

    Raises:
        EvolithError: the run cannot begin or go on.
    """
    progress = progress_on(Console(file=aside()), budget, time.monotonic)
    outcome = anyio.run(_work, run_dir, progress, work)
    name = quote(str(run_dir))
    if isinstance(outcome, ProviderError | UserCodeFailed):
        print(wrapped(f"{outcome}\n  Then go on with: evolith resume {name}"), file=aside())
        return outcome.exit_code
    if isinstance(outcome, EvolithError):
        raise outcome
    with reading(run_dir, quickly=True) as archive:
        print_report(build_report(archive, str(run_dir)), Output())
    print(
        f"\nThe whole report: evolith report {name} --html report.html"
        f"\nThe champion:     evolith export {name} --to champion"
    )
    if outcome.reason != FINISHED:
        print(wrapped(_stopped(outcome, name)), file=aside())
    return outcome.exit_code


def _stopped(outcome: Outcome, name: str) -> str:
    """Say why a run ended before its end, also where the sealed test was still run."""
    message = outcome.message
    if outcome.exit_code == ExitCode.DONE:
        message = f"The search was cut short: {message}"
    larger = " with a larger limit" if outcome.reason.startswith("budget:") else ""
    return f"{EvolithError(message)}\n  Go on{larger} with: evolith resume {name}"


async def _work(run_dir: Path, progress: Progress, work: Work) -> Outcome | EvolithError:
    """Return an error instead of raising it, since a task group would wrap it in a group."""
    stop = Stop()
    async with anyio.create_task_group() as group:
        await group.start(heed_signals, stop, run_dir, progress.say)
        with progress.shown():
            group.start_soon(progress.tick)
            outcome: Outcome | EvolithError
            try:
                outcome = await work(progress.watch, stop)
            except EvolithError as error:
                outcome = error
        group.cancel_scope.cancel()
    return outcome

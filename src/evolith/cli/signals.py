"""Ctrl-C: once lets the calls under way end, twice stops at once."""

import signal
from collections.abc import Callable
from pathlib import Path
from shlex import quote

import anyio
from anyio.abc import TaskStatus

from evolith.engine.stop import Stop


async def heed_signals(
    stop: Stop,
    run_dir: Path,
    say: Callable[[str], None],
    *,
    task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
) -> None:
    """Hand SIGINT and SIGTERM on to `stop` until cancelled.

    After the second one the signals have their usual effect again, so that a third ends the
    process even where something does not let itself be cancelled. The archive bears that.

    Args:
        stop: What to tell.
        run_dir: The run, for the message that says how to go on.
        say: Shows a line to the user.
        task_status: Told when signals are heard.
    """
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for _ in signals:
            if stop.draining:
                say("Stopping at once.")
                stop.abort()
                return
            say(
                "Finishing the calls under way; Ctrl-C again stops at once.\n"
                f"Resume with: evolith resume {quote(str(run_dir))}"
            )
            stop.drain()

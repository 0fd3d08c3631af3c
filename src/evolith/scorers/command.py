"""`command`: a program of the user judges."""

import json
import os
import shutil
import signal
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Literal

import anyio
from anyio.abc import Process
from pydantic import Field

from evolith.core.ports import Chat
from evolith.core.rollout import Trajectory
from evolith.core.score import Score
from evolith.core.task import Task
from evolith.errors import ConfigError, EvolithError
from evolith.scorers.base import ScorerSettings
from evolith.scorers.outcome import to_score, without_answer
from evolith.scorers.redact import redact

MAX_READ = 1_000_000
"""Bytes that are read of what the program prints."""
TAIL = 300
"""Characters of its error output that a message repeats."""


class CommandConfig(ScorerSettings):
    """A program of your own judges.

    It is started in an empty folder with a JSON object on its standard input: `id`, `input`,
    `fields`, `answer`, `hidden` and `output`. It prints a number from 0 to 1, or a JSON object with
    `score`, `feedback` and `passed`. Where its feedback holds the answer, that is taken out.
    """

    kind: Literal["command"] = "command"
    """Runs a program."""
    command: tuple[str, ...] = Field(min_length=1)
    """The program and its arguments: `["python3", "grade.py"]`. No shell is involved. Those that
    name a file beside the config are found there."""
    timeout: float = Field(default=60.0, gt=0, allow_inf_nan=False)
    """Seconds after which the program, and all it has started, is ended."""
    threshold: float = Field(default=1.0, gt=0, le=1)
    """Value from which a task counts as passed, where the program does not say."""


class Command:
    """Runs the user's program on each output.

    Args:
        config: Its settings.
        base: The config's folder.

    Raises:
        ConfigError: there is no such program.
    """

    def __init__(self, config: CommandConfig, base: Path) -> None:
        self._config = config
        self._argv = [_absolute(word, base) for word in config.command]
        if shutil.which(self._argv[0]) is None:
            raise ConfigError(
                f"there is no program {config.command[0]} that can be run",
                where="scorer.command",
                fix="correct the name, install it, or make it executable with chmod +x",
            )

    async def score(self, task: Task, trajectory: Trajectory, chat: Chat) -> Score:  # noqa: ARG002 - the protocol
        """Judge a trajectory by its output.

        Raises:
            EvolithError: the program failed, took too long, or printed what is no score.
        """
        reveal = self._config.reveal_answer
        try:
            score = to_score(_parsed(await self._run(task, trajectory)), self._config.threshold)
        except EvolithError as error:
            message = error.message if reveal else redact(error.message, task)
            raise EvolithError(message, where=self._argv[0], fix=error.fix) from None
        return score if reveal else without_answer(score, task)

    async def _run(self, task: Task, trajectory: Trajectory) -> str:
        # Files, not pipes: no pipe can fill up, and none is held open by what was left running.
        with (
            tempfile.TemporaryDirectory(prefix="evolith-") as folder,
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as printed,
            tempfile.TemporaryFile() as complaints,
        ):
            given.write(_payload(task, trajectory))
            given.seek(0)
            process = await anyio.open_process(
                self._argv,
                stdin=given,
                stdout=printed,
                stderr=complaints,
                cwd=folder,
                start_new_session=True,
            )
            await self._wait(process)
            printed.seek(0)
            complaints.seek(0)
            if process.returncode != 0:
                raise EvolithError(
                    f"the program ended with code {process.returncode}: "
                    f"{_text(complaints.read(MAX_READ))[-TAIL:] or 'it printed no error'}",
                    fix="make it print a score and end with code 0, also for a wrong output",
                )
            return _text(printed.read(MAX_READ))

    async def _wait(self, process: Process) -> None:
        try:
            with anyio.fail_after(self._config.timeout):
                await process.wait()
        except TimeoutError:
            raise EvolithError(
                f"the program took longer than {self._config.timeout:g} seconds",
                fix="make it faster, or raise scorer.timeout",
            ) from None
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)  # also what it left running
            with anyio.CancelScope(shield=True):
                await process.wait()


def _absolute(word: str, base: Path) -> str:
    path = base / word
    return str(path.resolve()) if path.is_file() else word


def _payload(task: Task, trajectory: Trajectory) -> bytes:
    return json.dumps(
        {
            "id": task.id,
            "input": task.input,
            "fields": dict(task.fields),
            "answer": task.answer,
            "hidden": dict(task.hidden),
            "output": trajectory.output,
        }
    ).encode()


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace").strip()


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise EvolithError(
            f"the program printed {text[:TAIL]!r}, which is neither a number nor JSON",
            fix='print a number from 0 to 1, or {"score": 0.5, "feedback": "..."}, alone',
        ) from None

"""Ctrl-C, a second process and a killed one, as a user meets them."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from evolith.testing.project import write_project

Cli = Callable[..., tuple[int, str, str]]
Begin = Callable[..., subprocess.Popen[str]]
RUN = "runs/shelves-1"


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """Write a project whose run takes some seconds."""
    write_project(tmp_path / "slow", pause=0.2)
    return tmp_path / "slow"


@pytest.fixture
def at_work(slow: Path, begin: Begin) -> subprocess.Popen[str]:
    """Begin a run and wait until its seed is evaluated."""
    process = begin(slow, "run", "evolith.toml", "--workers", "2")
    until(process, "best ")
    return process


def interrupt(process: subprocess.Popen[str], sent: signal.Signals = signal.SIGINT) -> None:
    """Send a signal to the process and its children, as a terminal does."""
    os.killpg(process.pid, sent)


def until(process: subprocess.Popen[str], text: str) -> None:
    """Read what the process says until `text` comes."""
    assert process.stderr is not None
    assert any(text in line for line in process.stderr)


def ends(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for the end; return the exit code and what was said on the way."""
    _, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    return process.returncode, err


def archive_hash(evolith_in: Cli, folder: Path) -> str:
    _, out, _ = evolith_in(folder, "replay", RUN)
    return out.partition("recorded archive: ")[2].partition("\n")[0]


def assert_goes_on_as_if_never_stopped(evolith_in: Cli, slow: Path, finished: Path) -> None:
    write_project(slow.parent / "fast")
    shutil.copy(slow.parent / "fast" / "world.py", slow)
    code, out, err = evolith_in(slow, "resume", RUN)
    assert code == 0, err
    assert "Sealed test" in out
    assert archive_hash(evolith_in, slow) == archive_hash(evolith_in, finished)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_lets_the_calls_end_and_the_run_can_be_resumed(
    at_work: subprocess.Popen[str],
    slow: Path,
    finished: Path,
    evolith_in: Cli,
    sent: signal.Signals,
) -> None:
    interrupt(at_work, sent)
    code, err = ends(at_work)
    assert code == 5
    assert "Finishing the calls under way; Ctrl-C again stops at once." in err
    assert f"evolith resume {RUN}" in err
    assert_goes_on_as_if_never_stopped(evolith_in, slow, finished)


def test_a_second_ctrl_c_stops_at_once_and_the_run_can_be_resumed(
    slow: Path, begin: Begin, finished: Path, evolith_in: Cli
) -> None:
    world = (slow / "world.py").read_text(encoding="utf-8")
    hangs = "def reflect(request):\n    open('reflecting', 'w').close()\n    time.sleep(600)\n"
    (slow / "world.py").write_text(world.replace("def reflect(request):\n", hangs))
    process = begin(slow, "run", "evolith.toml")
    while not (slow / "reflecting").exists():
        assert process.poll() is None
        time.sleep(0.05)
    interrupt(process)
    until(process, "Ctrl-C again stops at once")
    interrupt(process)
    code, err = ends(process)
    assert (code, "Stopping at once." in err) == (130, True)
    assert_goes_on_as_if_never_stopped(evolith_in, slow, finished)


def test_a_killed_run_can_be_resumed(
    at_work: subprocess.Popen[str], slow: Path, finished: Path, evolith_in: Cli
) -> None:
    at_work.kill()
    at_work.wait(timeout=60)
    assert "killed" in evolith_in(slow, "status", RUN)[1]
    assert_goes_on_as_if_never_stopped(evolith_in, slow, finished)


def test_a_second_process_on_the_same_run_is_refused_and_the_first_goes_on(
    at_work: subprocess.Popen[str], slow: Path, evolith_in: Cli
) -> None:
    code, _, err = evolith_in(slow, "resume", RUN)
    assert code == 3
    assert "another process" in err
    assert evolith_in(slow, "status", RUN)[0] == 0
    interrupt(at_work)
    assert ends(at_work)[0] == 5

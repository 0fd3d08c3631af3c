"""Evolith as a user has it: a project, and commands that are run in it."""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evolith.cli.main import main
from evolith.testing.project import write_project

Done = tuple[int, str, str]
"""Exit code, standard output and standard error of a command."""


def run(folder: Path, *arguments: str) -> Done:
    """Run a command in a folder, inside this process, which spares the start of another."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = main(arguments)
    assert "Traceback" not in out.getvalue() + err.getvalue()
    return code, out.getvalue(), err.getvalue()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write a project of which each test has its own."""
    folder = tmp_path / "project"
    write_project(folder)
    return folder


@pytest.fixture(scope="session")
def evolith_in() -> Callable[..., Done]:
    """Run commands in a folder, which comes first among the arguments."""
    return run


@pytest.fixture
def evolith(project: Path) -> Callable[..., Done]:
    """Run commands in the project."""
    return lambda *arguments: run(project, *arguments)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a project to its end once; tests only read it. The run is `runs/shelves-1` in it."""
    folder = tmp_path_factory.mktemp("finished") / "project"
    write_project(folder)
    code, _, err = run(folder, "run", "evolith.toml")
    assert code == 0, err
    return folder


@pytest.fixture
def read(finished: Path) -> Callable[..., Done]:
    """Run commands where a run has finished."""
    return lambda *arguments: run(finished, *arguments)


@pytest.fixture
def begin() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Begin commands as processes of their own, as a shell does; what is left of them is ended."""
    begun: list[subprocess.Popen[str]] = []

    def begin_one(folder: Path, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "evolith", *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "80"},
            start_new_session=True,
        )
        begun.append(process)
        return process

    yield begin_one
    for process in begun:
        process.kill()
        process.communicate()

"""Runs of a small project whose model is a function."""

from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
import pytest

from evolith.archive.archive import Archive
from evolith.archive.reading import reading
from evolith.config import load_config
from evolith.session import Outcome, start
from evolith.testing.project import write_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write a project."""
    write_project(tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture
def run(project: Path) -> Callable[..., Outcome]:
    """Run the project in a new folder, with settings in place of those in the file."""

    def run_project(folder: str, settings: Mapping[str, object] | None = None) -> Outcome:
        config = load_config(project / "evolith.toml", settings or {})
        return anyio.run(start, config, project / folder)

    return run_project


def hash_of(run_dir: Path) -> str:
    """Return the archive hash of a run."""
    with reading(run_dir) as archive:
        return archive.store.hash()


def with_archive(run_dir: Path, look: Callable[[Archive], object]) -> object:
    """Look at the archive of a run."""
    with reading(run_dir) as archive:
        return look(archive)

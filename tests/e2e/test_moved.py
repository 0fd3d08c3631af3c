"""A project that was moved takes its runs along."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., tuple[int, str, str]]
RUN = "runs/shelves-1"


def half_done(evolith_in: Cli, project: Path, run_dir: str, config: str = "evolith.toml") -> None:
    """Begin a run that its budget stops."""
    place = project if config == "evolith.toml" else project.parent
    code, _, err = evolith_in(place, "run", config, "--run-dir", run_dir, "--rollouts", "25")
    assert code == 5, err


@pytest.mark.parametrize("config", ["evolith.toml", "project/evolith.toml"])
def test_a_project_that_is_moved_with_its_run_is_resumed_and_replayed(
    evolith_in: Cli, project: Path, tmp_path: Path, config: str
) -> None:
    half_done(evolith_in, project, "runs/one", config)
    begun_in = project if config == "evolith.toml" else project.parent
    moved = tmp_path / "elsewhere" / "deep"
    moved.parent.mkdir()
    if begun_in == project:
        project.rename(moved)
    else:
        moved.mkdir()
        for name in ("project", "runs"):
            (tmp_path / name).rename(moved / name)
    assert evolith_in(moved, "resume", "runs/one", "--rollouts", "1000")[0] == 0
    assert evolith_in(moved, "replay", "runs/one")[0] == 0


def test_where_a_project_is_changes_nothing_in_its_archive(
    evolith_in: Cli, project: Path, finished: Path, tmp_path: Path
) -> None:
    half_done(evolith_in, project, "runs/one")
    moved = project.rename(tmp_path / "moved")
    evolith_in(moved, "resume", "runs/one", "--rollouts", "1000")
    here, there = evolith_in(moved, "replay", "runs/one")[1], evolith_in(finished, "replay", RUN)[1]
    assert here.splitlines()[0] == there.splitlines()[0]


def test_a_copy_of_a_project_goes_on_with_its_own_files(
    evolith_in: Cli, project: Path, tmp_path: Path
) -> None:
    half_done(evolith_in, project, "runs/one")
    copy = shutil.copytree(project, tmp_path / "copy")
    (copy / "tasks.jsonl").write_text("")
    code, _, err = evolith_in(copy, "resume", "runs/one", "--rollouts", "1000")
    assert (code, str(copy / "tasks.jsonl") in "".join(err.split("\n"))) == (2, True)


def test_a_run_that_is_moved_alone_finds_its_project(
    evolith_in: Cli, project: Path, tmp_path: Path
) -> None:
    half_done(evolith_in, project, "runs/one")
    (project / "runs" / "one").rename(tmp_path / "kept")
    assert evolith_in(tmp_path, "resume", "kept", "--rollouts", "1000")[0] == 0
    assert evolith_in(tmp_path, "replay", "kept")[0] == 0


@pytest.mark.parametrize("verb", ["resume", "replay"])
def test_a_run_whose_project_has_gone_says_so_and_is_told_where_it_is(
    evolith_in: Cli, project: Path, tmp_path: Path, verb: str
) -> None:
    half_done(evolith_in, project, str(tmp_path / "run"))
    project.rename(tmp_path / "moved")
    code, _, err = evolith_in(tmp_path, verb, "run")
    assert code == 2
    assert "a file of the run's project is not there any more" in " ".join(err.split())
    assert "Put it back, or say where the project is now with --base DIR." in err
    for place in ("status", "report", "verify"):  # these need nothing but the run
        assert evolith_in(tmp_path, place, "run")[0] == 0
    more = ["--rollouts", "1000"] if verb == "resume" else []
    assert evolith_in(tmp_path, verb, "run", "--base", "moved", *more)[0] == 0
    assert evolith_in(tmp_path, "resume", "run", "--base", "nowhere")[0] == 2


def test_a_run_that_was_told_where_its_project_is_remembers(
    evolith_in: Cli, project: Path, tmp_path: Path
) -> None:
    half_done(evolith_in, project, str(tmp_path / "run"))
    project.rename(tmp_path / "moved")
    evolith_in(tmp_path, "resume", "run", "--base", "moved", "--rollouts", "40")
    assert evolith_in(tmp_path, "resume", "run", "--rollouts", "1000")[0] == 0

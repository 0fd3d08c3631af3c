"""What an asynchronous run says of itself, while it works and afterwards."""

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from evolith.testing.project import write_project

Cli = Callable[..., tuple[int, str, str]]
RUN = "runs/shelves-1"
ASYNC = ("--schedule", "async", "--in-flight", "3")
FLASH = """
[scorer]
kind = "exact"
reveal_answer = true

[algorithm]
kind = "flash"
proposals = 120
minibatch = 1
guard = 0
"""
PATIENCE = 60.0
"""Seconds after which something that should come is taken for missing."""


@pytest.fixture(scope="module")
def overlapped(tmp_path_factory: pytest.TempPathFactory, evolith_in: Cli) -> Path:
    """Run a project asynchronously to its end; tests only read it."""
    folder = tmp_path_factory.mktemp("async") / "project"
    write_project(folder)
    code, _, err = evolith_in(folder, "run", "evolith.toml", *ASYNC)
    assert code == 0, err
    return folder


@pytest.fixture(scope="module")
def flashed(tmp_path_factory: pytest.TempPathFactory, evolith_in: Cli) -> Path:
    """Run a project with the algorithm that fuses; tests only read it."""
    folder = tmp_path_factory.mktemp("flash") / "project"
    write_project(folder)
    config = folder / "evolith.toml"
    head, _, _ = config.read_text("utf-8").partition("[algorithm]")
    config.write_text(f"{head}{FLASH}", "utf-8")
    code, _, err = evolith_in(folder, "run", "evolith.toml", *ASYNC)
    assert code == 0, err
    return folder


def test_a_finished_run_reports_its_stages_and_its_pace(overlapped: Path, evolith_in: Cli) -> None:
    code, out, _ = evolith_in(overlapped, "report", RUN)
    assert code == 0
    for section in ("Pace", "Stages", "spent on"):
        assert section in out
    assert "Committer: 8 decisions" in out
    assert max(map(len, out.splitlines())) <= 80


def test_its_json_holds_what_the_report_shows(overlapped: Path, evolith_in: Cli) -> None:
    data = json.loads(evolith_in(overlapped, "report", RUN, "--json")[1])
    assert [stage["name"] for stage in data["overlap"]["stages"]][-1] == "evaluate"
    assert data["overlap"]["committer"]["done"] == data["pace"]["proposals"]["total"] == 8
    spent = [
        use["amount"]["tokens_in"] + use["amount"]["tokens_out"] for use in data["cost"]["uses"]
    ]
    total = data["cost"]["total"]
    assert sum(spent) == total["tokens_in"] + total["tokens_out"]


def test_its_page_is_one_file_with_the_queues_in_it(
    overlapped: Path, evolith_in: Cli, tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    code, _, _ = evolith_in(overlapped, "report", RUN, "--html", str(page))
    assert code == 0
    assert "Items that waited and were worked on in each stage" in page.read_text("utf-8")


def test_a_synchronous_run_says_nothing_of_stages(read: Cli) -> None:
    text = read("report", RUN)[1] + read("status", RUN)[1]
    assert "Stages" not in text
    assert "Stale" not in text
    assert json.loads(read("report", RUN, "--json")[1])["overlap"] is None


def test_the_status_of_a_run_at_work_shows_its_stages_live(
    tmp_path: Path, evolith_in: Cli, begin: Callable[..., subprocess.Popen[str]]
) -> None:
    folder = tmp_path / "project"
    write_project(folder, pause=0.4)
    process = begin(folder, "run", "evolith.toml", *ASYNC, "--run-dir", "here")
    out, until = "", time.monotonic() + PATIENCE
    while " ago" not in out and time.monotonic() < until and process.poll() is None:
        time.sleep(0.2)
        out = evolith_in(folder, "status", "here")[1]
    assert "it is at work" in out
    assert " ago" in out
    assert [line.split()[0] for line in out.split("Stages")[1].splitlines()[2:7]] == [
        "rollout",
        "propose",
        "check",
        "repair",
        "evaluate",
    ]


def test_a_flash_run_reports_what_is_held_and_its_claim(flashed: Path, evolith_in: Cli) -> None:
    code, out, _ = evolith_in(flashed, "report", RUN)
    assert code == 0
    assert "held" in out
    assert "proved" in out
    assert "claimed" in out
    assert "answers repeat" in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_champion_of_a_flash_run_can_be_shown(flashed: Path, evolith_in: Cli) -> None:
    code, out, _ = evolith_in(flashed, "show", RUN)
    assert code == 0
    assert "Made of" in out
    assert "proved: " in out


def test_runs_are_compared_by_their_pace_too(overlapped: Path, evolith_in: Cli) -> None:
    code, out, _ = evolith_in(overlapped, "compare", RUN, RUN)
    assert code == 0
    rows = {line[:14].strip(): line for line in out.splitlines()}
    assert rows["proposals"].count("a minute") == 2
    assert rows["wasted"].count("%") == 2

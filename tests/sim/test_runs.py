"""Whole runs: the same archive whatever the workers; replayed, killed and resumed; in budget."""

import random
import subprocess
import sys
import time
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path

import anyio
import pytest

from evolith.archive.reading import reading
from evolith.archive.verify import verify
from evolith.config import load_config
from evolith.core.budget import Budget
from evolith.core.task import Split
from evolith.session import Outcome, Terms, replay, resume, start
from evolith.testing.project import write_project

Run = Callable[..., Outcome]
MIXED = {"algorithm.operators": {"reflect": 1.0, "demos": 1.0}, "algorithm.merge.most": 5}
SHORT = {"algorithm.reflect.max_tokens": 200}
"""A reply is reserved at its longest, so a small budget needs short ones."""
PRICED = {"use": "function:world:answer", "price": {"tokens_in": 2, "tokens_out": 9}}
REFLECT = "function:world:reflect"


def hash_of(run_dir: Path) -> str:
    with reading(run_dir) as archive:
        return archive.store.hash()


@pytest.mark.parametrize("settings", [{}, MIXED], ids=["reflect", "mixed"])
def test_a_sync_run_gives_the_same_archive_with_any_number_of_workers(
    run: Run, project: Path, settings: dict[str, object]
) -> None:
    for workers in (1, 3, 64):
        assert run(f"w{workers}", {**settings, "run.workers": workers}).reason == "finished"
    assert hash_of(project / "w1") == hash_of(project / "w3") == hash_of(project / "w64")
    assert verify(project / "w64") == []


def test_a_run_that_ends_by_its_budget_ends_at_the_same_call_with_any_number_of_workers(
    run: Run, project: Path
) -> None:
    for workers in (1, 5, 64):
        ended = run(f"w{workers}", {**SHORT, "budget.tokens": 3000, "run.workers": workers})
        assert ended.reason == "budget:tokens"
    assert hash_of(project / "w1") == hash_of(project / "w5") == hash_of(project / "w64")


@pytest.mark.parametrize(
    "settings",
    [{}, MIXED, {"run.schedule": "async"}, {**MIXED, "run.schedule": "async"}],
    ids=["sync", "sync-mixed", "async", "async-mixed"],
)
def test_a_replay_makes_no_call_and_gives_the_same_archive(
    run: Run, project: Path, settings: dict[str, object]
) -> None:
    run("run", settings)
    done = anyio.run(replay, project / "run", project / "again")
    assert done.calls == 0
    assert done.recorded == done.replayed == hash_of(project / "run")


def test_a_replay_of_a_run_that_its_budget_ended_ends_where_it_ended(
    run: Run, project: Path
) -> None:
    assert run("run", {**SHORT, "budget.tokens": 3000}).reason == "budget:tokens"
    done = anyio.run(replay, project / "run", project / "again")
    assert (done.calls, done.same) == (0, True)


@pytest.mark.parametrize(
    ("limit", "value", "more"),
    [("tokens", 2000, 10**7), ("rollouts", 33, 2000), ("money", "0.004", 100)],
)
def test_a_budget_is_never_passed_and_the_run_goes_on_with_more(
    run: Run, project: Path, limit: str, value: object, more: int
) -> None:
    models = {"models.task": PRICED, "models.reflect": {**PRICED, "use": REFLECT}}
    priced = {**SHORT, **models, "tasks.split": {"train": 10, "val": 10}}
    stopped = run("run", {**priced, f"budget.{limit}": value})
    assert stopped.reason == f"budget:{limit}"
    with reading(project / "run") as archive:
        total = archive.state.total
    assert getattr(total, limit) <= Decimal(str(value))
    budgets = {
        "tokens": Budget(tokens=more),
        "rollouts": Budget(rollouts=more),
        "money": Budget(money=Decimal(more)),
    }
    finished = anyio.run(partial(resume, terms=Terms(budgets[limit])), project / "run")
    assert finished.reason == "finished"
    run("whole", {**priced, f"budget.{limit}": more})
    assert hash_of(project / "run") == hash_of(project / "whole")


def test_a_budget_of_seconds_ends_the_run_in_time_and_it_goes_on_with_more(tmp_path: Path) -> None:
    write_project(tmp_path / "slow", pause=0.05)
    config = load_config(tmp_path / "slow/evolith.toml", {"budget.seconds": 1, "run.workers": 2})
    stopped = anyio.run(start, config, tmp_path / "run")
    assert stopped.reason == "budget:seconds"
    with reading(tmp_path / "run") as archive:
        assert archive.state.seconds <= 1
    finished = anyio.run(partial(resume, terms=Terms(Budget(seconds=600))), tmp_path / "run")
    assert finished.reason == "finished"


def test_the_budget_for_the_sealed_test_is_kept_back(run: Run, project: Path) -> None:
    outcome = run("run", {"budget.rollouts": 60})
    assert (outcome.reason, outcome.complete) == ("budget:rollouts", True)
    with reading(project / "run") as archive:
        state = archive.state
        assert state.total.rollouts <= 60
        assert {len(state.rollouts["seed", Split.TEST]) for _ in state.tests} == {10}


SCRIPT = """
import sys, anyio, pathlib
from evolith.config import load_config
from evolith.session import resume, start
folder, run_dir = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
if run_dir.exists():
    anyio.run(resume, run_dir)
else:
    anyio.run(start, load_config(folder / "evolith.toml", {"run.workers": 4}), run_dir)
"""


@pytest.mark.timeout(300)
def test_a_run_killed_at_twenty_moments_ends_in_the_archive_of_one_that_was_not(
    tmp_path: Path,
) -> None:
    folder, run_dir = tmp_path / "project", tmp_path / "killed"
    write_project(folder, pause=0.05)
    world = (folder / "world.py").read_text()
    world = world.replace("time.sleep(PAUSE)", "_note(), time.sleep(PAUSE)")
    (folder / "world.py").write_text(PAID + world)
    moments, log = random.Random(0), folder / "paid.log"
    log.touch()
    for _ in range(20):
        process = subprocess.Popen([sys.executable, "-c", SCRIPT, folder, run_dir])
        killed_at = len(log.read_text().split()) + moments.randint(1, 4)
        while len(log.read_text().split()) < killed_at and process.poll() is None:
            time.sleep(0.002)
        time.sleep(moments.uniform(0, 0.06))
        assert process.poll() is None  # it had work left
        process.kill()
        process.wait()
    subprocess.run([sys.executable, "-c", SCRIPT, folder, run_dir], check=True)
    paid = (folder / "paid.log").read_text().split()
    anyio.run(start, load_config(folder / "evolith.toml", {}), tmp_path / "whole")
    assert hash_of(run_dir) == hash_of(tmp_path / "whole")
    assert verify(run_dir) == []
    whole = (folder / "paid.log").read_text().split()[len(paid) :]
    # With 4 workers, a kill can cost at most the 4 calls that were under way.
    assert len(whole) <= len(paid) <= len(whole) + 4 * 20


PAID = """
import pathlib


def _note():
    with (pathlib.Path(__file__).parent / "paid.log").open("a") as log:
        log.write("call\\n")


"""

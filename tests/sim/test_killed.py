"""Asynchronous runs whose process is killed for real: resumed, whole, and replayed."""

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

from evolith.archive.reading import reading
from evolith.archive.verify import verify
from evolith.core.events import Called
from evolith.session import replay
from evolith.testing.project import write_project

SCRIPT = """
import sys, json, anyio, pathlib
from evolith.config import load_config
from evolith.session import resume, start
folder, run_dir = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
if run_dir.exists():
    anyio.run(resume, run_dir)
else:
    anyio.run(start, load_config(folder / "evolith.toml", json.loads(sys.argv[3])), run_dir)
"""
NOTE = """
import pathlib


def _note():
    with (pathlib.Path(__file__).parent / "paid.log").open("a") as log:
        log.write("call\\n")


"""
KILLS, WORKERS, IN_FLIGHT = 2, 4, 3
ASYNC = {"run.schedule": "async", "run.in_flight": IN_FLIGHT, "run.workers": WORKERS}
SETTINGS: Mapping[str, Mapping[str, object]] = {
    "gepa": {
        "run.staleness.policy": "reflective",
        "run.speculation": {"rollout": 0.5, "evaluate": 0.5},
        "run.reorder": True,
        "algorithm.proposals": 12,
    },
    "flash": {"algorithm": {"kind": "flash", "proposals": 60, "guard": 1}},
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", SETTINGS)
def test_an_asynchronous_run_that_is_killed_is_resumed_whole_and_can_be_replayed(
    kind: str, tmp_path: Path
) -> None:
    folder, run_dir, log = tmp_path / "project", tmp_path / "run", tmp_path / "project/paid.log"
    write_project(folder, pause=0.03)
    world = (folder / "world.py").read_text()
    world = world.replace("time.sleep(PAUSE)", "_note(), time.sleep(PAUSE)")
    (folder / "world.py").write_text(NOTE + world)
    log.touch()
    moments = random.Random(0)
    settings = json.dumps({**ASYNC, **SETTINGS[kind]})
    command = [sys.executable, "-c", SCRIPT, str(folder), str(run_dir), settings]
    for _ in range(KILLS):
        process = subprocess.Popen(command)
        killed_at = len(log.read_text().split()) + moments.randint(8, 30)
        while len(log.read_text().split()) < killed_at and process.poll() is None:
            time.sleep(0.002)
        assert process.poll() is None  # it had work left
        process.kill()
        process.wait()
    subprocess.run(command, check=True)
    with reading(run_dir) as archive:
        state, events = archive.state, [entry.event for entry in archive.store.entries()]
        assert len(state.sessions) == KILLS + 1
        assert set(state.selected) == set(state.decided) - {"seed"}
        assert state.version >= 1
    calls = Counter(event.slot for event in events if isinstance(event, Called))
    assert set(calls.values()) == {1}
    paid = len(log.read_text().split())
    assert len(calls) <= paid <= len(calls) + KILLS * (WORKERS + IN_FLIGHT)
    assert verify(run_dir) == []
    done = anyio.run(replay, run_dir, tmp_path / "again")
    assert (done.calls, done.same) == (0, True)

"""The bench itself, on one seed."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bench.ablations import ABLATIONS
from bench.client import Client
from bench.ours import CONFIG, evolith_virtual
from bench.plot import draw
from bench.race import Race
from bench.row import Row, read, save
from bench.serving import serving
from bench.tables import tables
from evolith.config import load_config
from evolith.simulate.replies import reply
from evolith.simulate.world import RULES, Kind, World

ROOT = Path(__file__).parents[2]


@pytest.fixture
def client() -> Iterator[Client]:
    """A client of the noisy world with seed 1."""
    with serving(Kind.NOISY, 1, 0.6) as url, closing(Client(url)) as one:
        yield one


def row(system: str, seed: int, pick: float | None) -> Row:
    return Row(
        system=system,
        world=Kind.NOISY,
        seed=seed,
        target=0.6,
        cap_s=90,
        hit_s=pick,
        hit_calls=100,
        pick_s=pick,
        pick_calls=None if pick is None else 100,
        pick_tokens=None,
        end_s=pick or 90,
        end_calls=900,
        end_tokens=9000,
        end_true=0.6,
        end_own=0.58,
        best_true=0.6,
        accepted=3,
        proposals=30,
        curve=((1.0, 10, 0.1, 0.0), (5.0, 90, 0.5, 0.6)),
    )


def test_the_virtual_run_reaches_the_target_and_gives_the_same_row_each_time() -> None:
    race = Race(Kind.ADDITIVE, 0)
    found = evolith_virtual(race)
    assert found.pick_s is not None
    assert found.end_true >= 0.6
    assert found == evolith_virtual(race)


def test_the_command_runs_a_system_and_writes_table_and_plot(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench", "run", "--system=evolith-virtual"]
    words = ["--world=additive", "--seeds=1", "--cap=0.4", f"--out={tmp_path}"]
    subprocess.run([*command, *words], cwd=ROOT, check=True, capture_output=True)
    (found,) = read(tmp_path / "results.jsonl")
    assert (found.world, found.seed, found.cap_s) == (Kind.ADDITIVE, 0, 0.4)
    assert "| evolith-virtual | 0/1 | >0." in (tmp_path / "RESULTS.md").read_text("utf-8")
    assert (tmp_path / "RESULTS.svg").read_text("utf-8").startswith("<svg")


def test_the_server_says_what_the_simulated_model_says_and_counts(client: Client) -> None:
    world = World(Kind.NOISY, 1)
    task, prompt = world.tasks.val[0], " ".join(RULES)
    said = [client.ask(prompt, task.input, "fake-task") for _ in range(3)]
    assert said == [reply(world, "fake-task", prompt, task.input, nth) for nth in range(3)]
    assert client.calls == 3
    assert client.stats().total_latency_s > 0
    client.reset()
    assert client.stats().total_latency_s == 0
    assert client.ask(prompt, task.input, "fake-task") == said[0]


def test_a_request_that_is_none_is_refused(client: Client) -> None:
    with pytest.raises(RuntimeError, match="404"):
        client._send("GET", "/nowhere")
    with pytest.raises(RuntimeError, match="400"):
        client._send("POST", "/v1/chat/completions", json.dumps({"messages": "no"}))


def test_a_run_that_never_got_there_counts_as_its_length_and_is_marked() -> None:
    text = tables([row("ours", 0, 12.0), row("ours", 1, None), row("ours", 2, None)])
    assert "| ours | 1/3 | >90.0 | 12, >90, >90 | >900 |" in text


def test_of_two_runs_of_the_same_the_later_one_counts(tmp_path: Path) -> None:
    for pick in (5.0, 7.0):
        save(row("ours", 0, pick), tmp_path / "results.jsonl")
    assert [found.pick_s for found in read(tmp_path / "results.jsonl")] == [7.0]


def test_the_plot_has_a_curve_for_each_system() -> None:
    picture = draw([row("ours", 0, 12.0), row("theirs", 0, None)])
    assert picture.count(">ours<") == picture.count(">theirs<") == 1


@pytest.mark.parametrize("name", ABLATIONS)
def test_each_ablation_is_a_config(name: str) -> None:
    load_config(CONFIG, ABLATIONS[name])

"""Evolith in the bench: its own command's way through HTTP, or on the virtual clock."""

import json
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import anyio

from bench.client import Client
from bench.race import MEAN, SIGMA, SLOTS, Race, row_of, watched
from bench.row import Row
from evolith import session
from evolith.archive.reading import reading
from evolith.config import RunConfig, load_config
from evolith.engine.stop import Stop
from evolith.report.codes import proposals_of
from evolith.simulate.draws import Latency
from evolith.simulate.judge import Follower, Judge, Moment
from evolith.simulate.run import Scene, simulate
from evolith.simulate.world import World

CONFIG = Path(__file__).with_name("evolith.toml")
ROLES = ("task", "reflect", "repair")


def evolith(race: Race) -> Row:
    """Run Evolith against the server, with its archive in a file."""
    with closing(Client(race.url)) as client:
        client.reset()
    world = World(race.kind, race.seed)
    judge = Judge(world, race.target)
    with tempfile.TemporaryDirectory(prefix="evolith-bench-") as folder:
        config = _through_server(race, world, Path(folder))
        run_dir = Path(folder) / "run"
        began = time.perf_counter()
        anyio.run(_start, config, run_dir, judge)
        seconds = time.perf_counter() - began
        with reading(run_dir) as archive:
            total, proposals = archive.state.total, proposals_of(archive.state)
    return row_of("evolith", race, judge, Moment(seconds, total.calls, total.tokens), proposals)


async def _start(config: RunConfig, run_dir: Path, judge: Judge) -> None:
    stop = Stop()
    follower = Follower(judge, time.perf_counter, stop.abort)
    await session.start(config, run_dir, watch=follower, stop=stop)


def evolith_virtual(race: Race, overrides: Mapping[str, object] | None = None) -> Row:
    """Run Evolith on the virtual clock, with its archive in memory.

    Args:
        race: What it runs for.
        overrides: Settings in place of those of the bench.
    """
    scene = Scene(race.kind, Latency(MEAN, SIGMA), SLOTS, target=race.target, seconds=race.cap)
    run = simulate(load_config(CONFIG, overrides), scene, race.seed)
    row = watched("evolith-virtual", race, run.judge, run.end, run.proposals)
    return row.model_copy(update={"in_flight": round(run.used * SLOTS, 2)})


def _through_server(race: Race, world: World, folder: Path) -> RunConfig:
    file = folder / "tasks.jsonl"
    rows = [{"id": t.id, "input": t.input, "part": split} for split, t in world.tasks]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    addresses = {f"models.{role}.base_url": f"{race.url}/v1" for role in ROLES}
    given = {"tasks.file": str(file), "seed": race.seed, "budget.seconds": race.cap}
    return load_config(CONFIG, {**given, **addresses})

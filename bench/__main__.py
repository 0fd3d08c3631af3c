"""`python -m bench`: runs the systems side by side, and shows what came of it."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from bench.ablations import ABLATIONS, ablate
from bench.plot import draw
from bench.race import Race
from bench.row import Row, read, save
from bench.serving import serving
from bench.systems import SYSTEMS, VIRTUAL, load
from bench.tables import tables
from evolith.simulate.world import Kind

RESULTS = Path(__file__).with_name("results")
app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
Systems = Annotated[
    list[str] | None, typer.Option("--system", help="One system; all unless given.")
]
Worlds = Annotated[list[Kind] | None, typer.Option("--world", help="One world; all unless given.")]
Seeds = Annotated[int, typer.Option(min=1, help="Seeds from 0 on.")]
Target = Annotated[float, typer.Option(help="The true score to reach.")]
Cap = Annotated[float, typer.Option(help="Seconds after which a run is ended.")]
Server = Annotated[str, typer.Option(help="A server that runs already, for one world and seed.")]
Out = Annotated[Path, typer.Option(help="Folder of results.jsonl, RESULTS.md and the plot.")]


@app.command()
def run(
    system: Systems = None,
    world: Worlds = None,
    seeds: Seeds = 5,
    jobs: Annotated[int, typer.Option(min=1, help="Runs at once.")] = 1,
    target: Target = 0.6,
    cap: Cap = 90.0,
    server: Server = "",
    out: Out = RESULTS,
) -> None:
    """Run every system in every world with every seed, then write tables and plot.

    Each run is a process of its own, with a server of its own unless one is given.
    """
    names = system or [name for name in SYSTEMS if name not in VIRTUAL]
    words = [f"--target={target}", f"--cap={cap}", f"--server={server}", f"--out={out}"]
    races = product(world or list(Kind), range(seeds), names)

    def one_race(race: tuple[Kind, int, str]) -> int:
        kind, seed, name = race
        command = [sys.executable, "-m", "bench", "one", name, kind, str(seed), *words]
        return subprocess.run(command, check=False).returncode  # noqa: S603 - our own module

    with ThreadPoolExecutor(jobs) as pool:
        failed = sum(code != 0 for code in pool.map(one_race, races))
    show(out)
    if failed:
        raise typer.Exit(1)


@app.command()
def one(
    system: str,
    world: Kind,
    seed: int,
    target: Target = 0.6,
    cap: Cap = 90.0,
    server: Server = "",
    out: Out = RESULTS,
) -> None:
    """Run one system once and add its row to results.jsonl."""
    run_system = load(system)
    with _server(server, world, seed, target, virtual=system in VIRTUAL) as url:
        row = run_system(Race(world, seed, url, target, cap))
    save(row, out / "results.jsonl")
    print(row.model_dump_json(exclude={"curve"}), flush=True)


@app.command()
def show(out: Out = RESULTS) -> None:
    """Write RESULTS.md and the plot of what is in results.jsonl."""
    worlds, systems = list(Kind), list(SYSTEMS)
    rows = read(out / "results.jsonl")
    rows.sort(key=lambda row: (worlds.index(row.world), systems.index(row.system), row.seed))
    _write(rows, out, "RESULTS")


@app.command()
def ablations(
    only: Annotated[
        list[str] | None, typer.Option("--only", help="One setting; all unless given.")
    ] = None,
    world: Worlds = None,
    seeds: Seeds = 5,
    jobs: Annotated[int, typer.Option(min=1, help="Processes at once.")] = 1,
    out: Out = RESULTS,
) -> None:
    """Run the settings of ablations.py on the virtual clock and write their table."""
    names = only or list(ABLATIONS)
    rows = ablate(names, world or list(Kind), range(seeds), jobs)
    out.mkdir(parents=True, exist_ok=True)
    _write(rows, out, "ABLATIONS")


@contextmanager
def _server(given: str, kind: Kind, seed: int, target: float, *, virtual: bool) -> Iterator[str]:
    if given or virtual:
        yield given
        return
    with serving(kind, seed, target) as url:
        yield url


def _write(rows: Sequence[Row], out: Path, name: str) -> None:
    text = tables(rows)
    (out / f"{name}.md").write_text(f"{text}\n", "utf-8")
    (out / f"{name}.svg").write_text(draw(rows), "utf-8")
    print(text)


if __name__ == "__main__":
    app()

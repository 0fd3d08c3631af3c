"""`evolith simulate`: what settings would do, on a toy world and a virtual clock."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from evolith.cli.consoles import Output, aside
from evolith.config import load_config
from evolith.simulate.draws import Latency
from evolith.simulate.run import Scene
from evolith.simulate.sweep import settings_of, sweep
from evolith.simulate.table import print_sweep
from evolith.simulate.world import Kind
from evolith.tasks.load import load_tasks


def simulate(  # noqa: PLR0913, PLR0917 - one argument an option
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The config file.")],
    world: Annotated[Kind, typer.Option(help="Which toy world.")] = Kind.NOISY,
    latency: Annotated[
        float, typer.Option(min=0.001, metavar="SECONDS", help="Mean seconds of a call.")
    ] = 2.0,
    sigma: Annotated[
        float,
        typer.Option(
            min=0, max=3, metavar="S", help="Spread of the latency (lognormal); 0 for none."
        ),
    ] = 0.8,
    slots: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Calls that the models' server works on at once."),
    ] = 32,
    requests_per_minute: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Calls that it takes in a minute; no limit else."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=V1,V2",
            help="Other values of a key of [run], [algorithm] or [models]; again for more keys.",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, metavar="N", help="Runs of each setting.")] = 5,
    target: Annotated[
        float, typer.Option(min=0.05, max=1, metavar="SCORE", help="The true score to reach.")
    ] = 0.6,
    minutes: Annotated[
        float,
        typer.Option(min=0.1, metavar="MINUTES", help="Virtual time after which a run is ended."),
    ] = 30.0,
) -> None:
    """Play the settings of a config on a toy world, where hours take seconds and nothing is paid.

    Only the sizes of its task files, [run], [algorithm] and the limits of [models] count. Without
    --set, the config as it is; with it, every combination of the values beside that.
    """
    tasks = load_tasks(load_config(config).tasks, config.parent)
    configs = {
        name: load_config(config, changed) for name, changed in settings_of(settings or []).items()
    }
    scene = Scene(
        kind=world,
        latency=Latency(latency, sigma),
        slots=slots,
        requests_per_minute=requests_per_minute,
        target=target,
        seconds=60 * minutes,
        train=len(tasks.train),
        val=len(tasks.val),
    )
    with Progress(console=Console(file=aside()), transient=True) as progress:
        task = progress.add_task("simulating", total=len(configs) * seeds)
        rows = list(sweep(configs, scene, seeds, lambda: progress.advance(task)))
    print_sweep(rows, scene, Output())

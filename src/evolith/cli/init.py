"""`evolith init`: write a config and sample tasks to begin with."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from evolith.cli.options import Force
from evolith.errors import UsageError
from evolith.export import write_file

NAMES = ("evolith.toml", "tasks.jsonl")


def init(
    folder: Annotated[Path, typer.Argument(help="Where to write; here unless given.")] = Path(),
    force: Force = False,
) -> None:
    """Write a commented evolith.toml and a small task file. They run as they are."""
    there = [str(folder / name) for name in NAMES if (folder / name).exists()]
    if there and not force:
        raise UsageError(
            f"{' and '.join(there)} would be overwritten",
            where="evolith init",
            fix="name another folder, or add --force",
        )
    templates = files("evolith.cli") / "templates"
    for name in NAMES:
        write_file(folder / name, (templates / name).read_text("utf-8"), force=force)
        print(f"wrote {folder / name}")
    print(
        f"Run it with: evolith run {folder / NAMES[0]}\n"
        "It uses a small model on this machine: pip install 'evolith[local]'"
    )

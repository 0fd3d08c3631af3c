"""`evolith export`: take a candidate out of a run."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from evolith.archive.reading import reading
from evolith.cli.options import Candidate, Force, RunDir
from evolith.config import RunConfig
from evolith.core.candidate import SEED
from evolith.errors import UsageError
from evolith.export import as_json, as_patch, write_file, write_folder
from evolith.report.candidate import find_candidate
from evolith.session import load_settings


def export(
    run_dir: RunDir,
    candidate: Candidate = "champion",
    to: Annotated[Path | None, typer.Option(help="Write the files into this folder.")] = None,
    patch: Annotated[
        Path | None, typer.Option(help="Write a patch to the seed for git apply; - prints it.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write JSON; - prints it.")] = None,
    force: Force = False,
) -> None:
    """Take a candidate out of a run: as a folder, as a patch, or as JSON."""
    if sum(target is not None for target in (to, patch, json)) != 1:
        raise UsageError(
            "it must be one of a folder, a patch or JSON",
            where="evolith export",
            fix="give one of --to DIR, --patch FILE, --json FILE",
        )
    with reading(run_dir) as archive:
        chosen = archive.candidate(find_candidate(archive, candidate))
        if to is not None:
            others = write_folder(chosen.artifact, to, force=force)
            print(f"{chosen.id} is in {to}")
            if others:
                print(f"The folder also holds what is no part of it: {', '.join(others)}")
        elif patch is not None:
            text = as_patch(archive.candidate(SEED).artifact, chosen.artifact)
            if _write(patch, text, force=force):
                command = _apply(load_settings(archive, run_dir), patch)
                print(f"{chosen.id} is in {patch}\nApply it with: {command}")
        elif json is not None and _write(json, as_json(chosen), force=force):
            print(f"{chosen.id} is in {json}")


def _write(target: Path, text: str, *, force: bool) -> bool:
    """Write a file, or print where the target is `-`; return whether a file was written."""
    if str(target) == "-":
        print(text, end="")
        return False
    write_file(target, text, force=force)
    return True


def _apply(settings: RunConfig, patch: Path) -> str:
    """Return the command that applies a patch to the folder that the seed came from."""
    if settings.artifact.path is None:
        return shlex.join(["git", "apply", str(patch)])
    folder = (settings.base / settings.artifact.path).resolve()
    top = next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)
    inside = [] if top == folder else [f"--directory={folder.relative_to(top)}"]
    return shlex.join(["git", "-C", str(top), "apply", *inside, str(patch.resolve())])

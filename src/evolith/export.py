"""Brings a candidate out of a run: as a folder, as a patch, as JSON. Nothing is half written."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evolith.core.artifact import Artifact
from evolith.core.candidate import Candidate
from evolith.core.change import Change
from evolith.errors import UsageError


def as_patch(before: Artifact, after: Artifact) -> str:
    """Return what turns `before` into `after`, as `git apply` reads it.

    Raises:
        UsageError: the two are the same, and a patch cannot say so.
    """
    patch = Change.between(before, after).diff()
    if not patch:
        raise UsageError(
            "the candidate is the same as the seed, so there is no patch",
            fix="export it as a folder with --to, or name another candidate",
        )
    return patch


def as_json(candidate: Candidate) -> str:
    """Return a candidate with its files and its provenance as JSON."""
    data = {
        "id": candidate.id,
        "hash": candidate.artifact.hash,
        "parents": candidate.parents,
        "operator": candidate.operator,
        "rationale": candidate.rationale,
        "files": candidate.artifact.as_dict(),
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def write_file(path: Path, text: str, *, force: bool) -> None:
    """Write a text file: whole, or not at all.

    Args:
        path: The file; folders above it are made.
        text: What it shall hold, in UTF-8.
        force: Whether an existing file may be replaced.

    Raises:
        UsageError: the file exists, is a folder, or cannot be written.
    """
    if path.is_dir():
        raise UsageError("this is a folder", where=str(path), fix="name a file in it")
    if path.exists() and not force:
        raise UsageError(
            "the file exists already", where=str(path), fix="name another, or add --force"
        )
    with _writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _staged(Artifact.of({"file": text}), path.parent) as stage:
            (stage / "file").replace(path)


def write_folder(artifact: Artifact, folder: Path, *, force: bool) -> tuple[str, ...]:
    """Write the files of an artifact into a folder.

    A new folder appears whole or not at all. In an existing one, each file is replaced as a whole
    after all of them were written elsewhere; files that are no part of the artifact stay.

    Args:
        artifact: What to write.
        folder: The folder; those above it are made.
        force: Whether a folder that holds something may be written into.

    Returns:
        Paths in the folder that are no part of the artifact.

    Raises:
        UsageError: the folder holds something, is a file or a link, or cannot be written.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError("this is no folder", where=str(folder), fix="name another")
    with _writing(folder):
        if folder.is_dir() and any(folder.iterdir()):
            if not force:
                raise UsageError(
                    "the folder is not empty", where=str(folder), fix="name another, or add --force"
                )
            return _write_into(artifact, folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _staged(artifact, folder.parent) as stage:
            stage.replace(folder)
    return ()


def _write_into(artifact: Artifact, folder: Path) -> tuple[str, ...]:
    for path in artifact:
        _refuse_links(folder, path)
    with _staged(artifact, folder) as stage:
        for path in artifact:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            (stage / path).replace(target)
    there = (p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    return tuple(sorted(path for path in there if path not in artifact))


def _refuse_links(folder: Path, path: str) -> None:
    """Refuse to write through a link, which could lead out of the folder."""
    place = folder
    for part in Path(path).parts:
        place /= part
        if place.is_symlink():
            raise UsageError(
                "the folder holds a symbolic link where a file goes",
                where=str(place),
                fix="remove the link, or name another folder",
            )


@contextmanager
def _staged(artifact: Artifact, beside: Path) -> Iterator[Path]:
    """Give a complete copy of the artifact on the same file system as its target."""
    with tempfile.TemporaryDirectory(
        prefix=".evolith-", dir=beside, ignore_cleanup_errors=True
    ) as box:
        stage = Path(box) / "artifact"
        for path, text in artifact.files:
            target = stage / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        yield stage


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, UnicodeError) as error:
        cause = error.strerror if isinstance(error, OSError) else "the text is no valid Unicode"
        raise UsageError(
            f"it cannot be written ({cause})",
            where=str(path),
            fix="name a place where you may write and that has room",
        ) from None

"""Reads the seed artifact: files written in the config, or a folder."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import model_validator

from evolith.core.artifact import Artifact
from evolith.core.settings import Settings
from evolith.errors import ArtifactError, ConfigError

DEFAULT_FILES = {"prompt.md": "Solve the task. Answer with the answer alone.\n"}
"""What evolves where the config names nothing."""
MAX_FILE = 1_000_000
"""Bytes of one file."""
MAX_FILES = 1_000
"""Files of one artifact."""


class ArtifactConfig(Settings):
    """What evolves, and which of its files may be edited."""

    path: Path | None = None
    """Folder with the files, relative to the config file. Names that start with a dot and
    `__pycache__` are left out."""
    files: dict[str, str] | None = None
    """The files themselves, path to text, instead of a folder."""
    surface: tuple[str, ...] = ("*",)
    """Globs of the files that may be edited or added; `*` also matches `/`."""

    @model_validator(mode="after")
    def _one_source(self) -> "ArtifactConfig":
        if self.path is not None and self.files is not None:
            raise ConfigError(
                "the artifact has both a folder and files",
                where="artifact.files",
                fix="keep either path or files",
            )
        if self.files == {}:
            raise ConfigError(
                "the artifact has no file", where="artifact.files", fix="add at least prompt.md"
            )
        if not self.surface:
            raise ConfigError(
                "the surface is empty, so nothing could be edited",
                where="artifact.surface",
                fix='name at least one file or glob, such as "prompt.md"',
            )
        return self


def load_artifact(config: ArtifactConfig, base: Path) -> Artifact:
    """Read the seed artifact.

    Args:
        config: The table `[artifact]`.
        base: The folder that `path` is relative to.

    Raises:
        ArtifactError: a folder or file is missing, is no text, is a link, or is too large.
    """
    if config.path is None:
        return Artifact.of(config.files or DEFAULT_FILES)
    folder = base / config.path
    if not folder.is_dir():
        what = "is no folder" if folder.exists() else "does not exist"
        raise ArtifactError(
            f"the artifact's folder {what}",
            where=str(folder),
            fix="correct artifact.path in the config; it is relative to the config file",
        )
    files: dict[str, str] = {}
    for path in _files(folder):
        if len(files) == MAX_FILES:
            raise ArtifactError(
                f"the artifact's folder holds more than {MAX_FILES} files",
                where=str(folder),
                fix="point artifact.path at a folder with only the files that evolve",
            )
        files[path.relative_to(folder).as_posix()] = _text(path)
    if not files:
        raise ArtifactError(
            "the artifact's folder is empty", where=str(folder), fix="put a prompt.md into it"
        )
    return Artifact.of(files)


def _files(folder: Path) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise _unreadable(folder, error) from None
    for path in entries:
        if path.name.startswith(".") or path.name == "__pycache__":
            continue
        if path.is_symlink():
            raise ArtifactError(
                "an artifact cannot hold a symbolic link",
                where=str(path),
                fix="put the file itself there",
            )
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path
        else:
            raise ArtifactError(
                "an artifact holds text files and folders alone",
                where=str(path),
                fix="move it elsewhere",
            )


def _text(path: Path) -> str:
    try:
        size = path.stat().st_size
        if size > MAX_FILE:
            raise ArtifactError(
                f"the file has {size:,} bytes, and an artifact's file at most {MAX_FILE:,}",
                where=str(path),
                fix="move it out of the artifact's folder, or split it",
            )
        text = path.read_bytes().decode()
    except OSError as error:
        raise _unreadable(path, error) from None
    except UnicodeDecodeError as error:
        raise ArtifactError(
            f"byte {error.start} is not UTF-8, so this is no text file",
            where=str(path),
            fix="save it as UTF-8, or move it out of the artifact's folder",
        ) from None
    if "\0" in text:
        raise ArtifactError(
            "the file holds a NUL character, so this is no text file",
            where=str(path),
            fix="move it out of the artifact's folder",
        )
    return text


def _unreadable(path: Path, error: OSError) -> ArtifactError:
    return ArtifactError(
        f"it cannot be read ({error.strerror})", where=str(path), fix="check its permissions"
    )

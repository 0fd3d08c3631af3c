"""The artifact: what evolves. An immutable map of path to text with a content hash."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from evolith.core.ids import canonical_json, content_hash
from evolith.errors import ArtifactError

MAX_PATH = 200
"""Characters in a path of an artifact."""


def check_path(path: str) -> str:
    """Return `path` when it is a plain relative POSIX path.

    Raises:
        ArtifactError: the path is absolute, climbs out, is not normalised, or is too long.
    """
    pure = PurePosixPath(path)
    bad = (
        not path
        or len(path) > MAX_PATH
        or pure.is_absolute()
        or "\\" in path
        or any(ord(char) < ord(" ") for char in path)
        or str(pure) != path
        or ".." in pure.parts
    )
    if bad:
        raise ArtifactError(
            f"{path!r} cannot be a path of an artifact",
            fix="use a relative path such as prompt.md or skills/search/SKILL.md",
        )
    return path


@dataclass(frozen=True, slots=True)
class Artifact:
    """A map of path to text: prompts, demonstrations, playbooks, skills and code alike.

    A component is one path of it. Two artifacts with the same files are equal and have the same
    `hash`.
    """

    files: tuple[tuple[str, str], ...]
    """Sorted pairs of path and text."""
    hash: str = field(init=False, compare=False)
    """SHA-256 of the files, in hex."""

    def __post_init__(self) -> None:
        files = tuple(sorted((check_path(path), text) for path, text in self.files))
        if len({path for path, _ in files}) != len(files):
            raise ArtifactError("an artifact names a path twice", fix="give each path once")
        object.__setattr__(self, "files", files)
        object.__setattr__(self, "hash", content_hash(canonical_json(files)))

    @classmethod
    def of(cls, files: Mapping[str, str]) -> "Artifact":
        """Make an artifact from a map of path to text."""
        return cls(tuple(files.items()))

    def as_dict(self) -> dict[str, str]:
        """Return the files as a new dict in path order."""
        return dict(self.files)

    def get(self, path: str) -> str | None:
        """Return the text at `path`, or None."""
        return self.as_dict().get(path)

    def replace(self, path: str, text: str | None) -> "Artifact":
        """Return an artifact whose `path` holds `text`; with None, one that lacks the path."""
        files = self.as_dict()
        files.pop(path, None)
        if text is not None:
            files[path] = text
        return Artifact.of(files)

    def __contains__(self, path: object) -> bool:
        return any(path == name for name, _ in self.files)

    def __iter__(self) -> Iterator[str]:
        return (path for path, _ in self.files)

    def __len__(self) -> int:
        return len(self.files)

"""The surface: which paths of an artifact may be edited. Enforced by code, never by asking."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from evolith.core.change import Change
from evolith.errors import ArtifactError


@dataclass(frozen=True, slots=True)
class Surface:
    """The globs that a change may touch.

    Args:
        globs: Patterns such as `prompt.md` or `skills/*`; `*` also matches `/`.
    """

    globs: tuple[str, ...] = ("*",)

    def allows(self, path: str) -> bool:
        """Say whether `path` may be edited."""
        return any(fnmatchcase(path, glob) for glob in self.globs)

    def check(self, change: Change) -> None:
        """Refuse a change that leaves the surface.

        Raises:
            ArtifactError: naming the first path outside.
        """
        for edit in change.edits:
            if not self.allows(edit.path):
                raise ArtifactError(
                    f"the change edits {edit.path}, which is outside the surface",
                    fix=f"edit only {', '.join(self.globs)}",
                )

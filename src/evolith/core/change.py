"""A change: the difference between two artifacts, as edits of whole lines."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff

from evolith.core.artifact import Artifact
from evolith.errors import ArtifactError


@dataclass(frozen=True, slots=True)
class Edit:
    """One path before and after; None where the path does not exist."""

    path: str
    before: str | None
    after: str | None

    def hunks(self) -> list["Hunk"]:
        """Return the replaced runs of lines, in order, for a path that exists on both sides."""
        old, new = _lines(self.before), _lines(self.after)
        blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        return [
            Hunk(start, stop, tuple(new[new_start:new_stop]))
            for tag, start, stop, new_start, new_stop in blocks
            if tag != "equal"
        ]


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines `start` to `stop` (exclusive, counted from 0) of the base, and what replaces them."""

    start: int
    stop: int
    lines: tuple[str, ...]

    def clear_of(self, other: "Hunk") -> bool:
        """Say whether at least one untouched line lies between the two hunks."""
        return self.stop < other.start or other.stop < self.start


@dataclass(frozen=True, slots=True)
class Change:
    """What turns one artifact into another."""

    edits: tuple[Edit, ...]

    @classmethod
    def between(cls, before: Artifact, after: Artifact) -> "Change":
        """Return the change that turns `before` into `after`."""
        old, new = before.as_dict(), after.as_dict()
        return cls(
            tuple(
                Edit(path, old.get(path), new.get(path))
                for path in sorted({*old, *new})
                if old.get(path) != new.get(path)
            )
        )

    @property
    def paths(self) -> tuple[str, ...]:
        """The edited paths, sorted."""
        return tuple(edit.path for edit in self.edits)

    def invert(self) -> "Change":
        """Return the change that undoes this one."""
        return Change(tuple(Edit(e.path, e.after, e.before) for e in self.edits))

    def apply(self, artifact: Artifact) -> Artifact:
        """Return `artifact` with this change.

        A path that still holds what the change was made from is replaced. A path that another
        change has edited since is merged when the hunks of both are clear of each other.

        Raises:
            ArtifactError: the artifact differs where the change edits.
        """
        for edit in self.edits:
            now = artifact.get(edit.path)
            if now == edit.before:
                text = edit.after
            else:
                text = _merged(edit, Edit(edit.path, edit.before, now))
            artifact = artifact.replace(edit.path, text)
        return artifact

    def commutes(self, other: "Change") -> bool:
        """Say whether both orders of two changes of the same base give the same artifact.

        Decided by paths and hunks: edits of different paths commute, edits of one path do when an
        untouched line lies between them.
        """
        theirs = {edit.path: edit for edit in other.edits}
        return all(_clear(edit, theirs[edit.path]) for edit in self.edits if edit.path in theirs)

    def diff(self) -> str:
        """Return a unified diff, as `git apply` reads it."""
        return "".join(_file_diff(edit) for edit in self.edits)


def _lines(text: str | None) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text or "")  # as git does: a line ends at \n alone


def _clear(one: Edit, two: Edit) -> bool:
    if one == two:
        return False  # the same insertion twice is not the same as once
    if one.before != two.before or None in (one.before, one.after, two.before, two.after):
        return False
    return all(a.clear_of(b) for a in one.hunks() for b in two.hunks())


def _merged(mine: Edit, theirs: Edit) -> str:
    if not _clear(mine, theirs):
        raise ArtifactError(
            f"{mine.path} has changed where the change edits it",
            fix="make the change from the present artifact",
        )
    lines = _lines(mine.before)
    for hunk in sorted(mine.hunks() + theirs.hunks(), key=lambda h: h.start, reverse=True):
        lines[hunk.start : hunk.stop] = hunk.lines
    return "".join(lines)


def _file_diff(edit: Edit) -> str:
    old = f"a/{edit.path}" if edit.before is not None else "/dev/null"
    new = f"b/{edit.path}" if edit.after is not None else "/dev/null"
    body = unified_diff(_lines(edit.before), _lines(edit.after), old, new)
    text = "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in body
    )
    mode = ""
    if edit.before is None:
        mode = "new file mode 100644\n"
    elif edit.after is None:
        mode = "deleted file mode 100644\n"
    return f"diff --git a/{edit.path} b/{edit.path}\n{mode}{text}"

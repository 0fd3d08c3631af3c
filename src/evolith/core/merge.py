"""Three-way merge of artifacts: files by path, items of a list by id, texts by lines and words.

A merge never fails and never asks. Where two sides differ on the same lines, both are kept; the
result may say a thing twice or hold a contradiction, so whoever merges must check what came out.
"""

import json
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TypeVar

from evolith.core.artifact import Artifact

ALIKE = 0.5
"""Share of the shorter side's words that both sides must have to be merged word by word."""

T = TypeVar("T", bound=Hashable)


def merge(base: Artifact, ours: Artifact, theirs: Artifact) -> Artifact:
    """Return `ours` with what `theirs` changed since `base`.

    A file that only one side changed is taken from it; a file that one side deleted and the other
    changed is kept.
    """
    files: dict[str, str] = {}
    for path in sorted({*base, *ours, *theirs}):
        text = _file(path, base.get(path), ours.get(path), theirs.get(path))
        if text is not None:
            files[path] = text
    return Artifact.of(files)


def _file(path: str, base: str | None, ours: str | None, theirs: str | None) -> str | None:
    if ours in (base, theirs):
        return theirs
    if theirs == base or theirs is None:
        return ours
    if ours is None:
        return theirs
    listed = path.endswith(".jsonl")
    if listed:
        found = [_items(text or "") for text in (base, ours, theirs)]
        if all(items is not None for items in found):
            return _merge_items(*(items or {} for items in found))
    return merge_text(base or "", ours, theirs, words=not listed)


def merge_text(base: str, ours: str, theirs: str, *, words: bool = True) -> str:
    """Return `ours` with what `theirs` changed since `base`.

    Lines first. Where both sides changed the same lines, words: what either side took away goes,
    what either side put in comes, the same insertion once. Where the two sides have little in
    common there, the same is done with whole lines.

    Args:
        base: What both sides began with.
        ours: One side.
        theirs: The other side.
        words: Whether lines may be taken apart; not where each line is a thing of its own.
    """
    old, left, right = (_lines(text) for text in (base, ours, theirs))
    out: list[str] = []
    at = 0
    for region in _regions(hunks(old, left), hunks(old, right)):
        out += old[at : region.start]
        at = region.stop
        out += _resolve(
            old[region.start : region.stop],
            region.of(old, region.ours),
            region.of(old, region.theirs),
            words=words,
        )
    out += old[at:]
    ended = out and (ours.endswith("\n") or theirs.endswith("\n"))
    return "\n".join(out) + ("\n" if ended else "")


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


Hunk = tuple[int, int, Sequence[T]]
"""Entries `start` to `stop` (exclusive) of the base, and what stands in their place."""


def hunks(base: Sequence[T], side: Sequence[T]) -> list[Hunk[T]]:
    """Return what a side changed, in order."""
    blocks = SequenceMatcher(None, base, side, autojunk=False).get_opcodes()
    return [(i, j, side[m:n]) for tag, i, j, m, n in blocks if tag != "equal"]


@dataclass(slots=True)
class _Region:
    """A run of the base that hunks of one or both sides touch."""

    start: int
    stop: int
    ours: list[Hunk[str]] = field(default_factory=list)
    theirs: list[Hunk[str]] = field(default_factory=list)

    def of(self, base: Sequence[str], changes: Sequence[Hunk[str]]) -> list[str]:
        """Return what one side has in place of the region."""
        out: list[str] = []
        at = self.start
        for start, stop, new in changes:
            out += [*base[at:start], *new]
            at = stop
        return [*out, *base[at : self.stop]]


def _regions(ours: Sequence[Hunk[str]], theirs: Sequence[Hunk[str]]) -> list[_Region]:
    found: list[_Region] = []
    tagged = [(h, True) for h in ours] + [(h, False) for h in theirs]
    for hunk, mine in sorted(tagged, key=lambda pair: pair[0][:2]):
        start, stop, _ = hunk
        if not found or (start >= found[-1].stop and start != found[-1].start):
            found.append(_Region(start, stop))
        region = found[-1]
        region.stop = max(region.stop, stop)
        (region.ours if mine else region.theirs).append(hunk)
    return found


def _resolve(base: list[str], ours: list[str], theirs: list[str], *, words: bool) -> list[str]:
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    if words and _shared(ours, theirs) >= ALIKE:
        return _joined(_union_edits(*(_words(lines) for lines in (base, ours, theirs))))
    return _union_edits(base, ours, theirs)


def _words(lines: Sequence[str]) -> list[str]:
    """Return the words of some lines, and before each line its break and indentation."""
    return [word for line in lines for word in re.findall(r"^\s*|\S+", f"\n{line}")]


def _joined(words: Sequence[str]) -> list[str]:
    text = ""
    for before, word in pairwise(["\n", *words]):
        text += word if "\n" in (before[0], word[0]) else f" {word}"
    return text.removeprefix("\n").split("\n") if words else []


def _shared(left: Sequence[str], right: Sequence[str]) -> float:
    one, two = (set(" ".join(lines).split()) for lines in (left, right))
    return len(one & two) / min(len(one), len(two)) if one and two else 0.0


def _union_edits(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    gone: set[int] = set()
    come: dict[int, list[str]] = {}
    for side in (ours, theirs):
        for start, stop, new in hunks(base, side):
            gone.update(range(start, stop))
            if new:
                come[start] = _union(come.get(start, []), new)
    out: list[str] = []
    for place in range(len(base) + 1):
        out += come.get(place, [])
        if place < len(base) and place not in gone:
            out.append(base[place])
    return out


def _union(one: Sequence[str], two: Sequence[str]) -> list[str]:
    """Return both sequences as one, with what they share in order once."""
    out: list[str] = []
    for tag, i, j, m, n in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        out += one[i:j]
        if tag != "equal":
            out += two[m:n]
    return out


def _items(text: str) -> dict[str, str] | None:
    """Return the lines of a list by the ids of their items, or None where it has no such ids."""
    found: dict[str, str] = {}
    for line in _lines(text):
        try:
            item = json.loads(line)
        except ValueError:
            return None
        if not isinstance(item, dict) or not isinstance(item.get("id"), str) or item["id"] in found:
            return None
        found[item["id"]] = line
    return found


def _merge_items(base: dict[str, str], ours: dict[str, str], theirs: dict[str, str]) -> str:
    lines: list[str] = []
    for name in dict.fromkeys([*ours, *theirs]):
        old, left, right = base.get(name), ours.get(name), theirs.get(name)
        # Where both changed it, ours; where one deleted it and one changed it, the change.
        line = right if left == old else left if right == old else left or right
        if line is not None:
            lines.append(line)
    return "".join(f"{line}\n" for line in lines)

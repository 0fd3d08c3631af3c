"""What becomes of an item that was made from a version which is no longer the newest."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from evolith.core.change import Change

Policy = Literal["full", "guarded", "reflective"]
"""FlashEvolve's three policies: let pass, drop beyond a limit, repair."""
Fate = Literal["fresh", "passed", "dropped", "rebased", "distant", "conflict"]
"""`fresh`: nothing has changed since; `passed`: let through as it is; `dropped`: beyond the limit;
`rebased`: its change goes with what changed; `distant`: it is far in meaning from what changed, so
it is let through; `conflict`: a matter for the repair operator."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How stale items are met.

    Args:
        policy: The policy.
        limit: For `guarded`: the largest staleness that passes.
        similarity: For `reflective`: changes less alike than this are far in meaning, in [0, 1].
    """

    policy: Policy = "full"
    limit: int = 4
    similarity: float = 0.2


def meet(rules: Rules, staleness: int, change: Change, since: Change) -> Fate:
    """Return the fate of a stale item.

    Args:
        rules: The rules in force.
        staleness: Archive version now, minus the version that the item was made from.
        change: From the item's parent to its child.
        since: From the item's parent to what has taken its place.
    """
    if not staleness or not since.edits:
        return "fresh"
    if rules.policy == "full":
        return "passed"
    if rules.policy == "guarded":
        return "dropped" if staleness > rules.limit else "passed"
    if change.commutes(since):
        return "rebased"
    return "conflict" if similarity(change, since) >= rules.similarity else "distant"


def similarity(one: Change, two: Change) -> float:
    """Return how alike the words are that two changes add or take away, in [0, 1].

    The cosine of their word counts: cheap, and without a model.
    """
    left, right = _words(one), _words(two)
    norm = sum(n * n for n in left.values()) * sum(n * n for n in right.values())
    if not norm:
        return 0.0
    shared: int = sum(count * right[word] for word, count in left.items())
    return float(shared / norm**0.5)


def _words(change: Change) -> Counter[str]:
    found: Counter[str] = Counter()
    for edit in change.edits:
        before = Counter(re.findall(r"\w+", (edit.before or "").lower()))
        after = Counter(re.findall(r"\w+", (edit.after or "").lower()))
        found += (after - before) + (before - after)
    return found

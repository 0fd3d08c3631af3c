"""When two relatives are merged, and which: the rule of GEPA."""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass

from evolith.archive.view import Member, View
from evolith.core.frontier import frontier
from evolith.operators.protocols import Selection

DRAWS = 10
"""Pairs that are drawn before the attempt is given up."""


@dataclass(frozen=True, slots=True)
class MergeRule:
    """Merges are tried right after an acceptance, a few times in a run.

    Args:
        most: Merges that may be accepted in a run.
        tasks: Validation tasks on which the merged child is compared with its parents.
    """

    most: int = 5
    tasks: int = 5

    def due(self, view: View) -> bool:
        """Say whether the last decision accepted a mutation and merges are left."""
        operator, outcome = view.last
        return (
            self.most > view.merged and outcome == "accepted" and operator not in ("seed", "merge")
        )

    def find(self, view: View, rng: random.Random) -> Selection | None:
        """Return the merge of two frontier members with a common ancestor, or None."""
        if not self.due(view):
            return None
        names = list(frontier({m.candidate.id: m.val for m in view.members}))
        order = {member.candidate.id: place for place, member in enumerate(view.members)}
        for _ in range(DRAWS if len(names) > 1 else 0):
            one, two = sorted(rng.sample(names, 2), key=order.__getitem__)
            ancestor = self._ancestor(view, one, two, rng)
            if ancestor is not None and len(_shared(view[one], view[two])) >= self.tasks:
                tasks = self._tasks(view[one].val, view[two].val, rng)
                cursor = max(view[one].turn, view[two].turn)
                return Selection((one, two), tasks, "merge", (), cursor, ancestor)
        return None

    def _ancestor(self, view: View, one: str, two: str, rng: random.Random) -> str | None:
        line_one, line_two = _ancestors(view, one), _ancestors(view, two)
        if one in line_two or two in line_one:
            return None
        found = [
            name
            for name in sorted(line_one & line_two)
            if (one, two, name) not in view.merges
            and view[name].mean <= min(view[one].mean, view[two].mean)
            and _worth_merging(view, name, one, two)
        ]
        if not found:
            return None
        weights = [view[name].mean for name in found]
        return rng.choices(found, weights if sum(weights) > 0 else None)[0]

    def _tasks(
        self, one: Mapping[str, float], two: Mapping[str, float], rng: random.Random
    ) -> tuple[str, ...]:
        """Draw tasks that the first, the second and neither parent is better at, a third each."""
        shared = [task for task in one if task in two]
        better = [task for task in shared if one[task] > two[task]]
        worse = [task for task in shared if one[task] < two[task]]
        equal = [task for task in shared if one[task] == two[task]]
        share = math.ceil(self.tasks / 3)
        drawn: list[str] = []
        for bucket in (better, worse, equal):
            room = min(len(bucket), share, self.tasks - len(drawn))
            drawn += rng.sample(bucket, max(0, room))
        rest = [task for task in shared if task not in drawn]
        return tuple(drawn + rng.sample(rest, self.tasks - len(drawn)))


def _shared(one: Member, two: Member) -> set[str]:
    return one.val.keys() & two.val.keys()


def _ancestors(view: View, name: str) -> set[str]:
    """Return the ancestors in the pool. One that was moved has a parent that never was in it."""
    parents = {member.candidate.id: member.candidate.parents for member in view.members}
    found: set[str] = set()
    waiting = list(parents.get(name, ()))
    while waiting:
        parent = waiting.pop()
        if parent in parents and parent not in found:
            found.add(parent)
            waiting += parents[parent]
    return found


def _worth_merging(view: View, ancestor: str, one: str, two: str) -> bool:
    """Say whether some component was changed in one line only."""
    base, left, right = (view[name].candidate.artifact for name in (ancestor, one, two))
    return any(
        base.get(path) in (left.get(path), right.get(path)) and left.get(path) != right.get(path)
        for path in {*base, *left, *right}
    )

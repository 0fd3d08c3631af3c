"""Toy worlds: which marks a prompt needs, what disturbs them, and what a prompt is truly worth.

`additive`: no mark disturbs another, and answers are certain. `conflicting`: half of the rules are
broad, and each overrides four others unless a scope keeps it out of the way; and a note silently
puts four rules out of action. `noisy`: the same, and answers are right or wrong by chance as well.
"""

import random
from enum import StrEnum
from functools import cache

from evolith.core.task import Task, TaskSet
from evolith.simulate.marks import is_note, key_in, note, rule, scope

RULES = tuple(rule(number) for number in range(20))
"""The rules of every world. A key stands for the rule of its remainder."""
REACH = (1, 4, 7, 12)
"""How far from itself a broad rule overrides others."""
SILENCED = 4
"""Rules that a note puts out of action."""
SURE = 0.9
"""In the noisy world, the chance of a right answer where it should be right."""
LUCK = 0.1
"""And where it should be wrong."""
SEED_PROMPT = "Answer the question."
"""The prompt that a simulated run begins with."""
TRAIN, VAL = 60, 50
"""Tasks of a world whose size nobody states."""


class Kind(StrEnum):
    """Which world."""

    ADDITIVE = "additive"
    CONFLICTING = "conflicting"
    NOISY = "noisy"


class World:
    """A world with its tasks.

    Args:
        kind: Which one.
        seed: Of everything that is random in it.
        train: Tasks to learn from.
        val: Tasks that decide.
    """

    def __init__(self, kind: Kind, seed: int, train: int = TRAIN, val: int = VAL) -> None:
        self.kind, self.seed = kind, seed
        self.tasks = _tasks(seed, train, val)
        self.val_keys = frozenset(key for task in self.tasks.val if (key := key_in(task.input)))
        self.overriders = {} if kind is Kind.ADDITIVE else _overriders(self.val_keys)
        """For each rule, the broad rules that override it."""
        self.true_score = cache(self._true_score)
        """Returns the share of val tasks that a prompt with these marks would answer right without
        any noise: what it is truly worth."""

    def is_broad(self, mark: str) -> bool:
        """Say whether a mark is a rule that overrides others."""
        return any(mark in those for those in self.overriders.values())

    def in_the_way(self, marks: frozenset[str], wanted: str) -> list[str]:
        """Return the rules among the marks that override `wanted` and that no scope holds back."""
        against = self.overriders.get(wanted, ())
        return [broad for broad in against if broad in marks and scope(broad, wanted) not in marks]

    def is_right(self, marks: frozenset[str], key: str) -> bool:
        """Say whether a prompt with these marks answers a task right where there is no noise."""
        wanted = rule_of(key)
        if note(key) in marks:
            return True
        if wanted not in marks or self.in_the_way(marks, wanted):
            return False
        # In the additive world a note does nothing but answer its own task.
        notes = filter(is_note, marks) if self.overriders else ()
        return all(wanted not in silenced_by(mark) for mark in notes)

    def answer(self, marks: frozenset[str], key: str, draw: float) -> str:
        """Return what a model answers that is told these marks.

        Args:
            marks: Of the prompt and of all else that the model is shown.
            key: Of the task.
            draw: Uniform in [0, 1).
        """
        sure, luck = (SURE, LUCK) if self.kind is Kind.NOISY else (1.0, 0.0)
        if draw < (sure if self.is_right(marks, key) else luck):
            return "correct"
        wanted = rule_of(key)
        fired = self.in_the_way(marks, wanted)
        if not fired:
            return "wrong"
        return f"wrong (fired {' '.join(sorted({*fired, *marks.intersection([wanted])}))})"

    def _true_score(self, marks: frozenset[str]) -> float:
        return sum(self.is_right(marks, key) for key in self.val_keys) / len(self.val_keys)


def rule_of(key: str) -> str:
    """Return the rule that the task with this key needs."""
    return RULES[int(key, 16) % len(RULES)]


@cache
def silenced_by(mark: str) -> frozenset[str]:
    """Return the rules that a note puts out of action."""
    return frozenset(random.Random(mark).sample(RULES, SILENCED))  # noqa: S311 - not for secrets


def _tasks(seed: int, train: int, val: int) -> TaskSet:
    draws = random.Random(1000 + seed)  # noqa: S311 - not for secrets

    def some(split: str, count: int) -> tuple[Task, ...]:
        names = [f"{split}-{number}" for number in range(count)]
        return tuple(Task(n, f"Question {n} key={draws.getrandbits(32):08x}") for n in names)

    return TaskSet(some("train", train), some("val", val))


def _overriders(keys: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Return who overrides whom. The half of the rules that more val tasks need is broad.

    So nobody gets far without broad rules.
    """
    wanted = [rule_of(key) for key in keys]
    halves = RULES[::2], RULES[1::2]
    broad = max(halves, key=lambda half: sum(needed in half for needed in wanted))
    count = len(RULES)
    reached = {
        one: {RULES[(number + step) % count] for step in REACH}
        for number, one in enumerate(RULES)
        if one in broad
    }
    return {narrow: tuple(one for one in broad if narrow in reached[one]) for narrow in RULES}

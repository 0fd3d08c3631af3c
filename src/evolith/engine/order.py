"""The order in which validation tasks are run: those that tell candidates apart come first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evolith.core.task import Task

ROUNDS = 3
"""Evaluations in a row that a task must have passed to be easy (w in FlashEvolve)."""


@dataclass(slots=True)
class Order:
    """Puts tasks that were passed in the last rounds into the back half.

    Args:
        tasks: The validation tasks in the order of the task set.
        rounds: Evaluations in a row that make a task easy.
    """

    tasks: Sequence[Task]
    rounds: int = ROUNDS
    _streak: dict[str, int] = field(default_factory=dict)

    def learn(self, passed: Mapping[str, bool]) -> None:
        """Take in an evaluation: whether each task of it was passed."""
        for task, right in passed.items():
            self._streak[task] = self._streak.get(task, 0) + 1 if right else 0

    def easy(self) -> tuple[str, ...]:
        """Return the tasks that go last, at most half of all, the longest streaks first."""
        found = [t.id for t in self.tasks if self._streak.get(t.id, 0) >= self.rounds]
        found.sort(key=lambda task: -self._streak[task])
        return tuple(found[: len(self.tasks) // 2])

    def current(self) -> list[Task]:
        """Return all tasks in the order to run them in."""
        last = set(self.easy())
        return sorted(self.tasks, key=lambda task: task.id in last)

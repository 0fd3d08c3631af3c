"""Tasks and the splits they fall into."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from evolith.core.ids import canonical_json, content_hash

Value = None | bool | int | float | str | list[object] | dict[str, object]
"""What a field of a task may hold: any JSON value."""


def as_text(value: Value | object) -> str:
    """Return text as it is, and any other JSON value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class Split(StrEnum):
    """What a task is used for."""

    TRAIN = "train"
    """Seen by the operators: minibatches, feedback, demonstrations."""
    VAL = "val"
    """Decides which candidates stay and which is the champion."""
    TEST = "test"
    """Sealed: run for seed and champion at the end, once."""


@dataclass(frozen=True, slots=True)
class Task:
    """One problem.

    Args:
        id: Unique in its task set.
        input: What the agent is asked, as text.
        fields: Further values that the agent may see, by name.
        answer: The hidden answer that only the scorer sees; None once sealed or where the scorer
            needs none.
        hidden: Further values for the scorer alone, by name.
    """

    id: str
    input: str
    fields: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    answer: Value = None
    hidden: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))

    def sealed(self) -> "Task":
        """Return the task without anything that only the scorer may see."""
        if self.answer is None and not self.hidden:
            return self
        return replace(self, answer=None, hidden=MappingProxyType({}))

    @property
    def hash(self) -> str:
        """SHA-256 over everything the task holds."""
        rows = [self.id, self.input, dict(self.fields), self.answer, dict(self.hidden)]
        return content_hash(canonical_json(rows))


@dataclass(frozen=True, slots=True)
class TaskSet:
    """The tasks of a run by split, each in a fixed order."""

    train: tuple[Task, ...]
    val: tuple[Task, ...]
    test: tuple[Task, ...] = ()

    def __getitem__(self, split: Split) -> tuple[Task, ...]:
        return {Split.TRAIN: self.train, Split.VAL: self.val, Split.TEST: self.test}[split]

    def __iter__(self) -> Iterator[tuple[Split, Task]]:
        return ((split, task) for split in Split for task in self[split])

    @property
    def hash(self) -> str:
        """SHA-256 over the tasks, their order and their splits."""
        return content_hash(canonical_json([[split, task.hash] for split, task in self]))

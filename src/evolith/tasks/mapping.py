"""Turns rows into tasks: which field is the input, the answer, the id, and who may see which."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from evolith.core.task import Task, Value, as_text
from evolith.errors import TasksError, did_you_mean
from evolith.tasks.config import TasksConfig
from evolith.tasks.read import Row


@dataclass(frozen=True, slots=True)
class Placed:
    """A task and the row that it was made from."""

    task: Task
    row: Row


@dataclass(frozen=True, slots=True)
class FieldNames:
    """Which field of a row is what.

    Args:
        inputs: The input; several become lines `name: value`.
        answer: The hidden answer, or None where there is none.
        id: What names the task, or None for the line number.
        fields: What else the agent may see.
        hidden: What else the scorer sees.
    """

    inputs: tuple[str, ...]
    answer: str | None
    id: str | None
    fields: tuple[str, ...]
    hidden: tuple[str, ...]

    @classmethod
    def of(cls, config: TasksConfig, rows: Sequence[Row]) -> "FieldNames":
        """Return the names of `config`; those it leaves out are looked for in the rows."""
        return cls(
            config.inputs,
            config.answer or _where_used("answer", rows),
            config.id or _where_used("id", rows),
            config.fields,
            config.hidden,
        )


def to_task(row: Row, names: FieldNames, number: str) -> Placed:
    """Make a task.

    Args:
        row: Where it stands.
        names: Which field is what. A field that is not named is left out.
        number: The id where no field gives one.

    Raises:
        TasksError: a field is missing, or the id or the input is empty.
    """
    values = {name: _get(row, name) for name in names.inputs}
    text = "\n".join(f"{name}: {as_text(value)}" for name, value in values.items())
    if len(values) == 1:
        text = as_text(next(iter(values.values())))
    if all(value is None or value == "" or str(value).isspace() for value in values.values()):
        raise TasksError(
            f"the input ({', '.join(names.inputs)}) is empty",
            where=row.place,
            fix="write what the agent is asked, or remove the row",
        )
    task = Task(
        id=number if names.id is None else _id(row, names.id),
        input=text,
        fields=_some(row, names.fields),
        answer=None if names.answer is None else _get(row, names.answer),
        hidden=_some(row, names.hidden),
    )
    return Placed(task, row)


def check_ids(tasks: Sequence[Placed]) -> None:
    """Refuse an id that two rows share.

    Raises:
        TasksError: naming both lines.
    """
    first: dict[str, Row] = {}
    for placed in tasks:
        other = first.setdefault(placed.task.id, placed.row)
        if other is not placed.row:
            raise TasksError(
                f"the id {placed.task.id!r} is used already in {other.place}",
                where=placed.row.place,
                fix="give each row its own id, or remove the copy",
            )


def _where_used(name: str, rows: Sequence[Row]) -> str | None:
    return name if any(name in row.values for row in rows) else None


def _get(row: Row, name: str) -> Value:
    if name not in row.values:
        raise TasksError(
            f"there is no field {name}", where=row.place, fix=did_you_mean(name, row.values)
        )
    return row.values[name]


def _some(row: Row, names: Sequence[str]) -> Mapping[str, Value]:
    return MappingProxyType({name: _get(row, name) for name in names})


def _id(row: Row, name: str) -> str:
    value = _get(row, name)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise TasksError(
            f"the id {as_text(value)} is neither text nor a whole number",
            where=row.place,
            fix=f"write text into the field {name}",
        )
    text = str(value)
    if not text.strip() or not text.isprintable():
        raise TasksError(
            f"the id {text!r} is empty or holds unprintable characters",
            where=row.place,
            fix=f"write a short name into the field {name}",
        )
    return text

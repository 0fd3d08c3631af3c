"""The right answers of a task, as text."""

from evolith.core.task import Task, as_text
from evolith.errors import TasksError


def right_answers(task: Task) -> tuple[str, ...]:
    """Return the texts that are right; a list holds several, any of which will do.

    Raises:
        TasksError: the task has no answer.
    """
    values = task.answer if isinstance(task.answer, list) else [task.answer]
    texts = tuple(as_text(value) for value in values)
    if not texts or any(value is None for value in values) or not all(map(str.strip, texts)):
        raise TasksError(
            "the task has no answer, which this scorer compares with",
            where=f"task {task.id}",
            fix="name the field with tasks.answer and fill it, or choose another scorer",
        )
    return texts

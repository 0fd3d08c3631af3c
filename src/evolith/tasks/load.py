"""Loads the tasks of a run: reads the files, maps the fields, splits, and checks the whole."""

from pathlib import Path

from evolith.core.task import Split, TaskSet
from evolith.tasks.config import TasksConfig
from evolith.tasks.mapping import FieldNames, Placed, check_ids, to_task
from evolith.tasks.read import Row, read_rows
from evolith.tasks.split import Parts, check_apart, split_by_field, split_by_size


def load_tasks(config: TasksConfig, base: Path) -> TaskSet:
    """Return the tasks of a run by split.

    Args:
        config: The table `[tasks]`.
        base: The folder that its paths are relative to.

    Raises:
        TasksError: a file, a row or the split is wrong, with file and line.
    """
    parts = _one_file(config, base) if config.file is not None else _file_each(config, base)
    check_apart(parts)
    train, val, test = (tuple(placed.task for placed in parts[split]) for split in Split)
    return TaskSet(train, val, test)


def _one_file(config: TasksConfig, base: Path) -> Parts:
    assert config.file is not None
    rows = _rows(config, base / config.file)
    names = FieldNames.of(config, rows)
    tasks = [to_task(row, names, f"row-{row.line}") for row in rows]
    check_ids(tasks)
    if config.split_field is not None:
        return split_by_field(tasks, config.split_field, config.split_values)
    return split_by_size(tasks, config.split, config.split_seed)


def _file_each(config: TasksConfig, base: Path) -> Parts:
    files = {Split.TRAIN: config.train, Split.VAL: config.val, Split.TEST: config.test}
    rows = {s: [] if file is None else _rows(config, base / file) for s, file in files.items()}
    names = FieldNames.of(config, [row for part in rows.values() for row in part])
    parts: dict[Split, list[Placed]] = {
        split: [to_task(row, names, f"{split}-row-{row.line}") for row in part]
        for split, part in rows.items()
    }
    check_ids([placed for part in parts.values() for placed in part])
    return parts


def _rows(config: TasksConfig, path: Path) -> list[Row]:
    return read_rows(path, config.format, config.encoding)

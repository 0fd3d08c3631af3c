"""Rows become tasks: fields are mapped, and only what is named is seen."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from evolith.core.task import Task, TaskSet
from evolith.errors import TasksError
from evolith.tasks.config import TasksConfig
from evolith.tasks.load import load_tasks

ROWS: tuple[dict[str, object], ...] = tuple(
    {"input": f"question {n}", "answer": f"answer {n}", "note": "n", "proof": "p"} for n in range(8)
)


def load(folder: Path, rows: Sequence[dict[str, object]] = ROWS, **table: object) -> TaskSet:
    (folder / "tasks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return load_tasks(TasksConfig.model_validate({"file": "tasks.jsonl", **table}), folder)


def tasks_of(tasks: TaskSet) -> list[Task]:
    return sorted((task for _, task in tasks), key=lambda task: task.id)


def test_the_usual_names_need_no_mapping(tmp_path: Path) -> None:
    tasks = load(tmp_path)
    assert [len(tasks.train), len(tasks.val), len(tasks.test)] == [4, 2, 2]
    first = tasks_of(tasks)[0]
    assert (first.id, first.input, first.answer) == ("row-1", "question 0", "answer 0")


def test_a_field_that_is_not_named_is_not_visible(tmp_path: Path) -> None:
    tasks = tasks_of(load(tmp_path, fields=["note"], hidden=["proof"]))
    assert {tuple(task.fields) for task in tasks} == {("note",)}
    assert {tuple(task.hidden) for task in tasks} == {("proof",)}
    sealed = tasks[0].sealed()
    assert sealed.answer is None
    assert not sealed.hidden
    assert not tasks_of(load(tmp_path))[0].fields


def test_several_input_fields_become_lines(tmp_path: Path) -> None:
    rows = [{**row, "options": ["a", 1]} for row in ROWS]
    task = tasks_of(load(tmp_path, rows, input=["input", "options"]))[0]
    assert task.input == 'input: question 0\noptions: ["a", 1]'


def test_ids_come_from_their_field_or_from_the_line(tmp_path: Path) -> None:
    rows = [{**row, "key": n, "id": f"t{n}"} for n, row in enumerate(ROWS)]
    assert tasks_of(load(tmp_path, rows))[0].id == "t0"
    assert tasks_of(load(tmp_path, rows, id="key"))[0].id == "0"


def test_tasks_without_answers_are_possible(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"input": f"question {n}"} for n in range(4)]
    assert {task.answer for task in tasks_of(load(tmp_path, rows))} == {None}


def test_each_split_may_have_its_file_and_numbers_do_not_collide(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        row = {"input": f"question {name}", "answer": "x"}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row))
    table = {"train": "a.jsonl", "val": "b.jsonl", "test": "c.jsonl"}
    tasks = load_tasks(TasksConfig.model_validate(table), tmp_path)
    assert [task.id for _, task in tasks] == ["train-row-1", "val-row-1", "test-row-1"]


def test_the_same_file_gives_the_same_tasks_and_another_seed_another_split(tmp_path: Path) -> None:
    assert load(tmp_path).hash == load(tmp_path).hash
    assert load(tmp_path).hash != load(tmp_path, split_seed=1).hash


@pytest.mark.parametrize("text", ["", "  ", None])
def test_an_empty_input_is_refused_with_its_line(text: str | None, tmp_path: Path) -> None:
    with pytest.raises(TasksError, match=r"input \(input\) is empty") as caught:
        load(tmp_path, [*ROWS, {"input": text, "answer": "x"}])
    assert caught.value.where.endswith("tasks.jsonl:9")


@pytest.mark.parametrize("name", ["", "a\nb", 1.5, True, None])
def test_an_unusable_id_is_refused_with_its_line(name: object, tmp_path: Path) -> None:
    with pytest.raises(TasksError, match="the id") as caught:
        load(tmp_path, [{**row, "id": n} for n, row in enumerate(ROWS)] + [{**ROWS[0], "id": name}])
    assert caught.value.where.endswith("tasks.jsonl:9")

"""The tasks of the example are fit for an honest demonstration."""

import itertools
import json
import re
from pathlib import Path

import pytest

from evolith.config import load_config
from evolith.tasks.load import load_tasks

MOST_ALIKE = 0.5
"""Share of their words that two messages may have in common."""


@pytest.fixture
def rows(root: Path) -> list[dict[str, str]]:
    lines = (root / "examples/lost-property/tasks.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_there_are_at_least_240_rows(rows: list[dict[str, str]]) -> None:
    assert len(rows) >= 240


def test_every_thing_is_named_in_its_message_and_no_thing_twice(
    rows: list[dict[str, str]],
) -> None:
    assert [row["id"] for row in rows if row["thing"] not in row["message"].lower()] == []
    assert len({row["thing"] for row in rows}) == len(rows)


def test_no_two_messages_are_nearly_the_same(rows: list[dict[str, str]]) -> None:
    words = [(row["id"], set(re.findall(r"\w+", row["message"].lower()))) for row in rows]
    alike = [
        (one, two)
        for (one, first), (two, second) in itertools.combinations(words, 2)
        if len(first & second) > MOST_ALIKE * len(first | second)
    ]
    assert alike == []


def test_the_config_uses_every_row(root: Path, rows: list[dict[str, str]]) -> None:
    folder = root / "examples" / "lost-property"
    tasks = load_tasks(load_config(folder / "evolith.toml").tasks, folder)
    assert len(tasks.train) + len(tasks.val) + len(tasks.test) == len(rows)

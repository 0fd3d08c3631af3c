"""The table `[tasks]` refuses what cannot be meant."""

import pytest

from evolith.errors import ConfigError
from evolith.tasks.config import TasksConfig


@pytest.mark.parametrize(
    ("table", "where", "said"),
    [
        ({}, "tasks.file", "no task file"),
        ({"train": "a.jsonl"}, "tasks.file", "no task file"),
        ({"file": "a.jsonl", "test": "b.jsonl"}, "tasks.file", "one for a single split"),
        ({"train": "a.jsonl", "val": "a.jsonl"}, "tasks.train", "the same file"),
        ({"file": "a.jsonl", "split": {"train": 1, "val": 0.5}}, "tasks.split", "mixes"),
        ({"file": "a.jsonl", "split": {"train": 1, "val": 0}}, "tasks.split", "need rows"),
        ({"file": "a.jsonl", "split": {"train": 0.9, "val": 0.2}}, "tasks.split", "add up to 1.1"),
        (
            {"train": "a.jsonl", "val": "b.jsonl", "split_seed": 1},
            "tasks.split_seed",
            "each split has its own file",
        ),
        ({"file": "a.jsonl", "split_values": {}}, "tasks.split_values", "split_field is not set"),
        (
            {"file": "a.jsonl", "split_field": "part", "split_seed": 1},
            "tasks.split_seed",
            "split_field is set",
        ),
        (
            {"file": "a.jsonl", "split_field": "p", "split_values": {"train": ["x"], "val": ["x"]}},
            "tasks.split_values",
            "'x' stands for two splits",
        ),
        ({"file": "a.jsonl", "input": []}, "tasks.input", "no field"),
        ({"file": "a.jsonl", "fields": ["answer"]}, "tasks.fields", "for the scorer alone"),
        (
            {"file": "a.jsonl", "answer": "label", "input": ["text", "label"]},
            "tasks.input",
            "would see the field label",
        ),
        (
            {"file": "a.jsonl", "hidden": ["proof"], "fields": ["proof"]},
            "tasks.fields",
            "would see the field proof",
        ),
        ({"file": "a.jsonl", "encoding": "utf8-ish"}, "tasks.encoding", "'utf8-ish'"),
        ({"file": "a.jsonl", "encoding": "hex"}, "tasks.encoding", "'hex'"),
    ],
)
def test_what_cannot_be_meant_is_refused(table: dict[str, object], where: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        TasksConfig.model_validate(table)
    assert caught.value.where == where
    assert caught.value.fix


def test_shares_that_add_up_to_one_up_to_rounding_are_accepted() -> None:
    split = {"train": 0.7, "val": 0.1, "test": 0.2}
    assert TasksConfig.model_validate({"file": "a.jsonl", "split": split}).split.in_shares

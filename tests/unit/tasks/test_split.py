"""Splits get what was asked for, and stay apart."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.core.task import Split, Task
from evolith.errors import TasksError
from evolith.tasks.config import SplitSizes, SplitValues
from evolith.tasks.mapping import Placed
from evolith.tasks.read import Row
from evolith.tasks.split import check_apart, split_by_field, split_by_size


def placed(inputs: Sequence[str], **values: str) -> list[Placed]:
    return [
        Placed(Task(f"t{n}", text), Row(dict(values), "tasks.jsonl", n))
        for n, text in enumerate(inputs, start=1)
    ]


@given(
    st.integers(1, 20), st.integers(1, 20), st.integers(0, 20), st.integers(0, 10), st.integers()
)
def test_counts_are_kept_and_no_row_is_used_twice(
    train: int, val: int, test: int, spare: int, seed: int
) -> None:
    tasks = placed([f"question {n}" for n in range(train + val + test + spare)])
    parts = split_by_size(tasks, SplitSizes(train=train, val=val, test=test), seed)
    assert [len(parts[split]) for split in Split] == [train, val, test]
    used = [one.task.id for split in Split for one in parts[split]]
    assert len(set(used)) == len(used)
    assert parts == split_by_size(tasks, SplitSizes(train=train, val=val, test=test), seed)


@given(st.lists(st.integers(0, 12), min_size=30, max_size=60), st.integers())
def test_rows_with_the_same_input_fall_into_the_same_split(kinds: list[int], seed: int) -> None:
    singles = [f"single {n}" for n in range(30)]
    tasks = placed([f"shared \n{kind}" for kind in kinds] + singles)
    parts = split_by_size(tasks, SplitSizes(train=0.5, val=0.25, test=0.25), seed)
    check_apart(parts)
    assert sum(len(part) for part in parts.values()) == len(tasks)


def test_shares_are_rounded_and_use_every_row() -> None:
    parts = split_by_size(
        placed([str(n) for n in range(11)]), SplitSizes(train=0.5, val=0.3, test=0.2), 0
    )
    assert [len(parts[split]) for split in Split] == [6, 3, 2]


def test_the_draw_does_not_follow_the_file() -> None:
    tasks = placed([str(n) for n in range(100)])
    parts = split_by_size(tasks, SplitSizes(train=50, val=50), 0)
    assert [one.row.line for one in parts[Split.TRAIN]] != list(range(1, 51))


def test_too_few_rows_are_refused() -> None:
    with pytest.raises(TasksError, match="asks for 7 rows, and there are 3"):
        split_by_size(placed("abc"), SplitSizes(train=5, val=2), 0)
    with pytest.raises(TasksError, match="gives the val split none"):
        split_by_size(placed("abc"), SplitSizes(train=0.5, val=0.25, test=0.25), 0)


def test_copies_that_cannot_be_kept_together_are_refused() -> None:
    with pytest.raises(TasksError, match="must not be divided"):
        split_by_size(placed(["a", "a", "b", "b"]), SplitSizes(train=3, val=1), 0)


def test_a_field_decides() -> None:
    tasks = placed(["a"], part="train") + placed(["b"], part="dev") + placed(["c"], part="test")
    parts = split_by_field(tasks, "part", SplitValues())
    assert [[one.task.input for one in parts[split]] for split in Split] == [["a"], ["b"], ["c"]]


def test_a_value_that_names_no_split_is_refused_with_the_nearest() -> None:
    with pytest.raises(TasksError, match="'tain'") as caught:
        split_by_field(placed(["a"], part="tain"), "part", SplitValues())
    assert caught.value.where == "tasks.jsonl:1"
    assert "did you mean train?" in caught.value.fix


def test_a_split_that_stays_empty_is_refused() -> None:
    with pytest.raises(TasksError, match="no row belongs to the val split"):
        split_by_field(placed(["a"], part="train"), "part", SplitValues())


def test_overlap_with_test_is_told_before_overlap_with_val_and_lists_the_copies() -> None:
    one, *copies = placed(["same  text", "same text", " same\ntext", "same text"])
    parts = {
        Split.TRAIN: [one],
        Split.VAL: [copies[0]],
        Split.TEST: [copies[1], copies[2]],
    }
    with pytest.raises(TasksError, match="the test split overlaps train") as caught:
        check_apart(parts)
    assert caught.value.where == "tasks.jsonl:3"
    assert "is in tasks.jsonl:1; so it is with 1 more (tasks.jsonl:4)" in caught.value.message

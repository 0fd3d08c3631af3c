"""Minibatches: shuffled epochs that show each task once."""

from hypothesis import given
from hypothesis import strategies as st

from evolith.core.task import Task
from evolith.operators.batch import minibatch

SIZES = st.tuples(st.integers(1, 30), st.integers(1, 8), st.integers(0, 5))


def tasks(count: int) -> list[Task]:
    return [Task(str(number), "") for number in range(count)]


@given(SIZES)
def test_an_epoch_shows_every_task_and_no_batch_shows_one_twice(
    sizes: tuple[int, int, int],
) -> None:
    count, size, seed = sizes
    batches = -(-count // min(size, count))
    epoch = [minibatch(tasks(count), size, ordinal, seed) for ordinal in range(batches)]
    for batch in epoch:
        assert len(set(batch)) == len(batch) == min(size, count)
    assert {task for batch in epoch for task in batch} == {str(n) for n in range(count)}


def test_epochs_and_seeds_are_shuffled_apart() -> None:
    orders = {
        tuple(task for n in range(5) for task in minibatch(tasks(20), 4, epoch * 5 + n, seed))
        for epoch in (0, 1)
        for seed in (0, 1)
    }
    assert len(orders) == 4

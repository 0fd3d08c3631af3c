"""Minibatches: the train tasks in shuffled epochs."""

from collections.abc import Sequence

from evolith.core.ids import rng_for
from evolith.core.task import Task


def minibatch(train: Sequence[Task], size: int, ordinal: int, seed: int) -> tuple[str, ...]:
    """Return the ids of the minibatch of an item.

    Every epoch is a shuffle of its own and shows each task once; the last batch is filled up from
    the front of the same shuffle, so that no task stands in a batch twice.

    Args:
        train: The train tasks.
        size: Tasks in a batch; fewer when there are fewer.
        ordinal: 0 for the first item.
        seed: Seed of the run.
    """
    size = min(size, len(train))
    batches = -(-len(train) // size)
    epoch, batch = divmod(ordinal, batches)
    order = [task.id for task in train]
    rng_for(seed, "minibatch", epoch).shuffle(order)
    return tuple((order + order)[batch * size : (batch + 1) * size])

"""A bounded queue with two lines."""

from functools import partial

import anyio
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given
from hypothesis import strategies as st

from evolith.engine.queue import Queue
from evolith.simulate.clock import run_virtual

pytestmark = pytest.mark.anyio


async def test_urgent_items_come_first_and_each_line_in_its_order() -> None:
    queue: Queue[int] = Queue(9)
    for number in range(6):
        await queue.put(number, urgent=number % 2 == 1)
    assert [await queue.get() for _ in range(6)] == [1, 3, 5, 0, 2, 4]


async def test_a_full_queue_lets_nobody_in_until_an_item_is_taken() -> None:
    queue: Queue[str] = Queue(1)
    await queue.put("first", urgent=False)
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: queue.put("second", urgent=True))
        for _ in range(5):
            await checkpoint()
        assert len(queue) == 1
        assert await queue.get() == "first"
    assert await queue.get() == "second"


async def test_a_closed_queue_is_emptied_before_those_who_wait_are_sent_away() -> None:
    queue: Queue[int] = Queue(2)
    await queue.put(1, urgent=False)
    got: list[int | None] = []

    async def take() -> None:
        got.append(await queue.get())

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(take)
        await checkpoint()
        await queue.close()
    assert sorted(got, key=str) == [1, None, None]


@given(st.integers(1, 4), st.lists(st.tuples(st.booleans(), st.integers(0, 3)), max_size=30))
def test_nothing_is_lost_or_given_twice_whoever_waits_for_whom(
    capacity: int, items: list[tuple[bool, int]]
) -> None:
    got: list[int] = []
    longest = 0

    async def session() -> None:
        nonlocal longest
        queue: Queue[int] = Queue(capacity)

        async def put(number: int, pause: int, *, urgent: bool) -> None:
            nonlocal longest
            await anyio.sleep(pause)
            await queue.put(number, urgent=urgent)
            longest = max(longest, len(queue))

        async def take(pause: int) -> None:
            while (item := await queue.get()) is not None:
                got.append(item)
                await anyio.sleep(pause)

        async with anyio.create_task_group() as takers:
            for pause in range(3):
                takers.start_soon(take, pause)
            async with anyio.create_task_group() as putters:
                for number, (urgent, pause) in enumerate(items):
                    putters.start_soon(partial(put, number, pause, urgent=urgent))
            await queue.close()

    run_virtual(session)
    assert sorted(got) == list(range(len(items)))
    assert longest <= capacity

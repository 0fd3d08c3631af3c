import time

import anyio
import pytest
from anyio import to_thread
from hypothesis import given
from hypothesis import strategies as st

from evolith.errors import EvolithError
from evolith.simulate.clock import run_virtual


def test_hours_of_waiting_pass_at_once_and_are_told_by_the_clock() -> None:
    async def wait(hours: int) -> float:
        for _ in range(hours):
            await anyio.sleep(3600)
        return anyio.current_time()

    assert run_virtual(wait, 1000) == pytest.approx(3_600_000)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=20))
def test_sleepers_wake_in_the_order_of_their_times(milliseconds: list[int]) -> None:
    times = [number / 1000 for number in milliseconds]  # an event loop tells no shorter times apart
    woken: list[float] = []

    async def sleep(seconds: float) -> None:
        await anyio.sleep(seconds)
        assert anyio.current_time() == pytest.approx(seconds)
        woken.append(seconds)

    async def all_at_once() -> float:
        async with anyio.create_task_group() as group:
            for seconds in times:
                group.start_soon(sleep, seconds)
        return anyio.current_time()

    assert run_virtual(all_at_once) == pytest.approx(max(times))
    assert woken == pytest.approx(sorted(times))


def test_a_deadline_is_kept_on_the_virtual_clock() -> None:
    async def work() -> float:
        with anyio.move_on_after(90):
            await anyio.sleep(1000)
        return anyio.current_time()

    assert run_virtual(work) == pytest.approx(90)


def test_no_time_passes_while_there_is_work() -> None:
    async def work() -> float:
        for _ in range(100):
            await anyio.lowlevel.checkpoint()
        return anyio.current_time()

    assert run_virtual(work) == 0


def test_tasks_that_wait_for_each_other_are_told_instead_of_waiting_forever() -> None:
    async def work() -> None:
        await anyio.Event().wait()

    with pytest.raises(EvolithError, match="no timer is left"):
        run_virtual(work)


def test_a_thread_has_no_virtual_time() -> None:
    async def work() -> None:
        await to_thread.run_sync(time.sleep, 0.2, abandon_on_cancel=True)

    with pytest.raises(EvolithError, match="no timer is left"):
        run_virtual(work)

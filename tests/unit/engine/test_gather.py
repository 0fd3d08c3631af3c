"""Awaits side by side."""

from functools import partial

import anyio
import pytest

from evolith.engine.gather import gather
from evolith.simulate.clock import run_virtual


def test_results_come_in_the_order_of_the_calls_whichever_ends_first() -> None:
    async def session() -> tuple[list[int], float]:
        async def call(seconds: int) -> int:
            await anyio.sleep(seconds)
            return seconds

        found = await gather([partial(call, seconds) for seconds in (3, 1, 2)])
        return found, anyio.current_time()

    assert run_virtual(session) == ([3, 1, 2], 3.0)


def test_an_exception_is_raised_as_itself_once_all_others_have_ended() -> None:
    ended: list[str] = []

    async def session() -> None:
        async def fail() -> None:
            raise ValueError("the first")

        async def work() -> None:
            await anyio.sleep(5)
            ended.append("the second")

        await gather([fail, work])

    with pytest.raises(ValueError, match="the first"):
        run_virtual(session)
    assert ended == ["the second"]

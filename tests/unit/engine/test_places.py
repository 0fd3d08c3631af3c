"""Places for work at once, and who gets one that becomes free."""

from functools import partial

import anyio
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given
from hypothesis import strategies as st

from evolith.engine.places import Places
from evolith.simulate.clock import run_virtual

ASKERS = st.lists(
    st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 3), st.none() | st.integers(0, 4)),
    max_size=20,
)
"""Urgent or not; when it asks; how long it stays; after how long it gives up."""


@pytest.mark.anyio
async def test_a_free_place_goes_to_the_urgent_first_and_else_to_who_asked_first() -> None:
    places, order = Places(1), list[str]()
    await places.acquire()

    async def ask(name: str) -> None:
        await places.acquire(urgent=name.startswith("urgent"))
        order.append(name)
        places.release()

    async with anyio.create_task_group() as group:
        for name in ("usual 1", "usual 2", "urgent 1", "usual 3", "urgent 2"):
            group.start_soon(ask, name)
            await checkpoint()
        places.release()
    assert order == ["urgent 1", "urgent 2", "usual 1", "usual 2", "usual 3"]


@given(st.integers(1, 3), ASKERS)
def test_no_place_is_held_twice_or_lost_also_where_askers_give_up(
    total: int, askers: list[tuple[bool, int, int, int | None]]
) -> None:
    async def session() -> tuple[int, int]:
        places, held, most, served = Places(total), 0, 0, 0

        async def ask(when: int, stay: int, patience: int | None, *, urgent: bool) -> None:
            nonlocal held, most, served
            await anyio.sleep(when)
            with anyio.move_on_after(patience):
                await places.acquire(urgent=urgent)
                try:
                    held += 1
                    most = max(most, held)
                    await anyio.sleep(stay)
                    served += 1
                finally:
                    held -= 1
                    places.release()

        async with anyio.create_task_group() as group:
            for urgent, when, stay, patience in askers:
                group.start_soon(partial(ask, when, stay, patience, urgent=urgent))
        for _ in range(total):  # all are free again
            await places.acquire()
        return most, served

    most, served = run_virtual(session)
    assert most <= total
    assert served >= sum(patience is None for *_, patience in askers)

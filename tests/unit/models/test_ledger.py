"""The ledger: nothing is spent that the budget does not hold."""

from decimal import Decimal

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.core.budget import Amount, Budget
from evolith.core.ids import rng_for
from evolith.errors import BudgetExceeded, Drained
from evolith.models.ledger import Ledger

pytestmark = pytest.mark.anyio


async def calls(ledger: Ledger, sizes: list[int], workers: int, seed: int) -> list[int]:
    """Make calls that cost half of their worst case; return those that were made."""
    made: list[int] = []
    places = anyio.CapacityLimiter(workers)

    async def call(number: int, worst: int, token: object) -> None:
        try:
            await ledger.reserve(Amount(worst))
            for _ in range(rng_for(seed, number).randrange(5)):
                await anyio.lowlevel.checkpoint()
            ledger.settle(Amount(worst), Amount(worst // 2))
            made.append(number)
        except BudgetExceeded:
            pass
        finally:
            places.release_on_behalf_of(token)

    async with anyio.create_task_group() as group:
        for number, worst in enumerate(sizes):
            token = object()
            await places.acquire_on_behalf_of(token)
            group.start_soon(call, number, worst, token)
    return sorted(made)


@given(st.lists(st.integers(1, 40), max_size=30), st.integers(1, 200), st.integers(0, 3))
def test_the_same_calls_are_made_with_one_worker_and_with_many(
    sizes: list[int], limit: int, seed: int
) -> None:
    results = []
    for workers in (1, 3, 64):
        ledger = Ledger(Budget(tokens=limit), Amount())
        results.append(anyio.run(calls, ledger, sizes, workers, seed))
        assert ledger.spent.tokens <= limit
        assert ledger.reserved == Amount()
    assert results[0] == results[1] == results[2]


async def test_a_reservation_waits_while_one_under_way_may_free_enough() -> None:
    ledger = Ledger(Budget(tokens=100), Amount())
    await ledger.reserve(Amount(80))
    async with anyio.create_task_group() as group:
        group.start_soon(ledger.reserve, Amount(80))
        await anyio.wait_all_tasks_blocked()
        assert ledger.reserved.tokens == 80
        ledger.settle(Amount(80), Amount(20))
    assert (ledger.reserved.tokens, ledger.spent.tokens) == (80, 20)


async def test_what_does_not_fit_is_refused_and_everything_after_it() -> None:
    ledger = Ledger(Budget(money=Decimal("0.05")), Amount(money=Decimal("0.04")))
    with pytest.raises(BudgetExceeded, match=r"budget of .*0\.05") as refused:
        await ledger.reserve(Amount(money=Decimal("0.02")))
    assert refused.value.where == "budget.money"
    with pytest.raises(BudgetExceeded):
        await ledger.reserve(Amount(money=Decimal("0.001")))


async def test_what_is_kept_aside_for_the_test_is_not_spent_by_the_search() -> None:
    ledger = Ledger(Budget(rollouts=10), Amount(rollouts=5))
    ledger.aside = Amount(rollouts=4)
    ledger.take(Amount(rollouts=1))
    with pytest.raises(BudgetExceeded):
        ledger.take(Amount(rollouts=1))
    ledger.reopen()
    ledger.take(Amount(rollouts=4))
    assert ledger.spent.rollouts == 10


async def test_a_stop_releases_everyone_who_waits() -> None:
    ledger = Ledger(Budget(tokens=100), Amount())
    await ledger.reserve(Amount(90))
    stopped: list[str] = []

    async def ask() -> None:
        try:
            await ledger.reserve(Amount(50))
        except Drained as drained:
            stopped.append(drained.message)

    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        group.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        ledger.stop(Drained("a stop was asked for"))
    assert stopped == ["a stop was asked for"] * 2


async def test_a_cancelled_asker_leaves_nothing_reserved() -> None:
    ledger = Ledger(Budget(tokens=100), Amount())
    await ledger.reserve(Amount(90))
    with anyio.move_on_after(0):
        await ledger.reserve(Amount(50))
    ledger.settle(Amount(90), Amount(10))
    await ledger.reserve(Amount(90))
    assert ledger.reserved.tokens == 90


async def test_a_cost_above_its_reservation_that_passes_the_budget_ends_the_run() -> None:
    ledger = Ledger(Budget(tokens=100), Amount())
    await ledger.reserve(Amount(10))
    ledger.settle(Amount(10), Amount(90))
    await ledger.reserve(Amount(10))  # still fits
    ledger.settle(Amount(10), Amount(20))
    assert ledger.spent.tokens == 110
    with pytest.raises(BudgetExceeded, match="reported more"):
        await ledger.reserve(Amount(0))

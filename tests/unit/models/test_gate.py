"""Who waits when a provider is busy, who goes first afterwards, and what a reader learns of it."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

import anyio
import anyio.lowlevel
import pytest

from evolith.errors import TransientFailure, TruncatedResponse
from evolith.models.gate import Gate, GateFigures, Limits
from evolith.simulate.clock import run_virtual

WAIT = 7.0
Call = Callable[[], Awaitable[None]]


async def through(gate: Gate, call: Call, tokens: int = 0) -> None:
    """Pass the gate with a call, again and again until it is not refused."""
    while True:
        with suppress(TransientFailure):
            async with gate.passing(tokens):
                await call()
            return


async def at_once(gate: Gate, calls: Sequence[Call]) -> None:
    async with anyio.create_task_group() as group:
        for call in calls:
            group.start_soon(through, gate, call)


class Busy:
    """A provider that asks to wait: the first `crowd` calls, once all are there, and `more`."""

    def __init__(self, crowd: int, more: int = 0) -> None:
        self.crowd, self.more = crowd, more
        self.starts: list[float] = []
        self.under_way = self.most_under_way = 0
        self.all_there = anyio.Event()

    async def __call__(self) -> None:
        number = len(self.starts)
        self.starts.append(anyio.current_time())
        if number < self.crowd:
            if number == self.crowd - 1:
                self.all_there.set()
            await self.all_there.wait()
        elif number < self.crowd + self.more:
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            await anyio.sleep(0.1)  # others would follow now, if they were let
            self.under_way -= 1
        else:
            return
        raise TransientFailure("busy", retry_after=WAIT)


def test_everybody_waits_and_one_goes_first() -> None:
    async def busy_for_three_waits() -> Busy:
        busy = Busy(crowd=8, more=2)
        await at_once(Gate(), [busy] * 8)
        return busy

    busy = run_virtual(busy_for_three_waits)
    assert len(busy.starts) == 8 + 2 + 8
    assert busy.most_under_way == 1
    assert busy.starts[8] >= busy.starts[7] + WAIT
    assert busy.starts[9] >= busy.starts[8] + WAIT
    assert busy.starts[10] >= busy.starts[9] + WAIT


def test_a_first_call_that_is_given_up_lets_another_go_first() -> None:
    async def given_up() -> int:
        gate, busy = Gate(), Busy(crowd=1)
        with anyio.move_on_after(WAIT + 0.1):
            await through(gate, busy)  # is refused
        with anyio.move_on_after(0.1):
            await through(gate, anyio.sleep_forever)
        await at_once(gate, [busy] * 3)
        return len(busy.starts)

    assert run_virtual(given_up) == 1 + 1 + 3


def test_a_wait_that_another_was_asked_for_meanwhile_is_kept() -> None:
    async def two_refusals() -> list[tuple[str, float]]:
        gate, passed = Gate(), list[tuple[str, float]]()

        async def refused(name: str, after: float, seconds: float) -> None:
            async def call() -> None:
                passed.append((name, anyio.current_time()))
                await anyio.sleep(after)
                raise TransientFailure("busy", retry_after=seconds)

            with suppress(TransientFailure):
                async with gate.passing():
                    await call()

        async def taken() -> None:
            passed.append(("later", anyio.current_time()))
            await anyio.lowlevel.checkpoint()

        async with anyio.create_task_group() as group:
            group.start_soon(refused, "early", 5.0, 100.0)
            group.start_soon(refused, "first", 1.0, 4.0)
            await anyio.sleep(2)
            await through(gate, taken)
        return passed

    assert run_virtual(two_refusals) == [("early", 0.0), ("first", 0.0), ("later", 105.0)]


def test_calls_go_in_the_order_of_asking_whatever_they_wait_for() -> None:
    async def in_turn() -> list[int]:
        gate, went = Gate(limits=Limits(concurrency=3, requests_per_minute=100)), list[int]()

        def call(number: int) -> Call:
            async def answer() -> None:
                went.append(number)
                await anyio.sleep(1 + number % 3)

            return answer

        await at_once(gate, [call(number) for number in range(30)])
        return went

    assert run_virtual(in_turn) == list(range(30))


def test_the_concurrency_is_halved_once_for_a_crowd_and_grows_again() -> None:
    async def overload() -> list[int]:
        gate, levels = Gate(limits=Limits(concurrency=16)), list[int]()
        there = 0

        async def call() -> None:
            nonlocal there
            there += 1
            too_many = there > 8
            await anyio.sleep(1)
            there -= 1
            if too_many:
                raise TransientFailure("overloaded", busy=True)

        await at_once(gate, [call] * 16)
        levels.append(gate.figures().concurrency)
        for _ in range(10):
            await at_once(gate, [call] * 8)
            levels.append(gate.figures().concurrency)
        return levels

    levels = run_virtual(overload)
    assert levels[0] in {8, 9}
    assert levels == sorted(levels)
    assert 12 <= levels[-1] <= 16


def test_a_fault_that_is_no_overload_holds_nobody_back() -> None:
    async def faulty() -> GateFigures:
        gate = Gate(limits=Limits(concurrency=4))
        failures = [TransientFailure("broke", billed=True)] * 5

        async def call() -> None:
            await anyio.lowlevel.checkpoint()
            if failures:
                raise failures.pop()

        await at_once(gate, [call] * 9)
        return gate.figures()

    assert run_virtual(faulty) == GateFigures("", 4, 0, 0, 0, 0.0, None)


@pytest.mark.parametrize(("used", "seconds"), [(1000, 60.0), (500, 30.0), (1500, 90.0)])
def test_tokens_a_minute_count_what_was_used_in_place_of_what_might_have_been(
    used: int, seconds: float
) -> None:
    async def until_the_next() -> float:
        gate = Gate(limits=Limits(tokens_per_minute=1000))
        async with gate.passing(1000) as passage:
            passage.tokens = used
        async with gate.passing(1):
            return anyio.current_time()

    assert run_virtual(until_the_next) == pytest.approx(seconds, rel=0.03)


@pytest.mark.parametrize(
    ("failure", "seconds"),
    [
        (TransientFailure("busy", busy=True), 0),
        (TruncatedResponse("cut", tokens=(100, 400)), 30),
        (TransientFailure("broke", billed=True), 60),
    ],
)
def test_a_failed_call_uses_the_tokens_that_it_may_have_used(
    failure: Exception, seconds: float
) -> None:
    async def until_the_next() -> float:
        gate = Gate(limits=Limits(tokens_per_minute=1000))
        with suppress(type(failure)):
            async with gate.passing(1000):
                raise failure
        async with gate.passing(1):
            return anyio.current_time()

    assert run_virtual(until_the_next) == pytest.approx(seconds, rel=0.03)


def test_the_figures_say_how_fast_a_provider_could_be_called() -> None:
    async def refused_once() -> tuple[GateFigures, GateFigures]:
        gate, busy = Gate("KEY at URL", Limits(concurrency=10)), Busy(crowd=0)
        await at_once(gate, [busy] * 5)
        busy.crowd = 7
        async with anyio.create_task_group() as group:
            for _ in range(2):
                group.start_soon(through, gate, busy)
            await anyio.wait_all_tasks_blocked()
            during = gate.figures()
        return during, gate.figures()

    during, after = run_virtual(refused_once)
    assert during.pace is None
    assert (after.provider, after.concurrency, after.under_way) == ("KEY at URL", 7, 0)
    assert (after.refused, after.throttled) == (2, 1)
    assert after.waited >= 2 * WAIT
    assert after.pace == pytest.approx(60 * 5 / WAIT, rel=0.1)

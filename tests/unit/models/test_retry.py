"""Who waits when a provider is busy, and who goes first afterwards."""

from collections.abc import Callable
from contextlib import suppress

import anyio
import anyio.lowlevel
import pytest

from evolith.core.ids import rng_for
from evolith.core.messages import Message, Request, Response
from evolith.errors import (
    MalformedResponse,
    ModelFailure,
    RefusedRequest,
    TransientFailure,
    TruncatedResponse,
)
from evolith.models.config import ModelConfig
from evolith.models.function import FunctionModel
from evolith.models.gate import Gate
from evolith.models.retry import LONGEST_PAUSE, Answer, Retrier, may_pass

pytestmark = pytest.mark.anyio
REQUEST = Request((Message("user", "Say yes."),), max_tokens=9)
WAIT = 0.05


async def at_once(
    retriers: list[Retrier], answer: Callable[[Request], object], workers: int
) -> list[Answer]:
    """Ask with so many workers, each through one of the retriers in turn."""
    answers: list[Answer] = []

    async def charge() -> None:
        raise AssertionError("nothing here is billed")

    async def ask(retrier: Retrier) -> None:
        answers.append(await retrier.ask(FunctionModel(answer), REQUEST, charge))

    async with anyio.create_task_group() as group:
        for number in range(workers):
            group.start_soon(ask, retriers[number % len(retriers)])
    return answers


def retrier(gate: Gate | None = None, retries: int = 4, concurrency: int = 64) -> Retrier:
    """Make one that does not pause by itself."""
    config = ModelConfig(use="openai:x", retries=retries, concurrency=concurrency)
    return Retrier(config, gate, sleep=lambda _: anyio.lowlevel.checkpoint())


class Busy:
    """A provider that asks to wait: the first `crowd` calls, once all are there, and `more`."""

    def __init__(self, crowd: int, more: int = 0) -> None:
        self.crowd, self.more = crowd, more
        self.starts: list[float] = []
        self.under_way = self.most_under_way = 0
        self.all_there = anyio.Event()

    async def __call__(self, request: Request) -> str:
        number = len(self.starts)
        self.starts.append(anyio.current_time())
        if number < self.crowd:
            if number == self.crowd - 1:
                self.all_there.set()
            await self.all_there.wait()
        elif number < self.crowd + self.more:
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            await anyio.sleep(WAIT)  # others would follow now, if they were let
            self.under_way -= 1
        else:
            return "yes"
        raise TransientFailure("busy", retry_after=WAIT)


@pytest.mark.parametrize("sharing", [1, 2])
async def test_everybody_waits_and_one_goes_first(sharing: int) -> None:
    busy, gate = Busy(crowd=8, more=2), Gate()
    answers = await at_once([retrier(gate) for _ in range(sharing)], busy, 8)
    assert {answer.result for answer in answers} == {Response("yes", 2, 1)}
    assert len(busy.starts) == 8 + 2 + 8
    assert busy.most_under_way == 1
    assert busy.starts[8] >= busy.starts[7] + WAIT
    assert busy.starts[9] >= busy.starts[8] + WAIT


async def test_a_first_call_that_is_given_up_lets_another_go_first() -> None:
    busy, one = Busy(crowd=1), retrier()

    async def answer(request: Request) -> str:
        if len(busy.starts) == 1:
            busy.starts.append(0)
            scope.cancel()
            await anyio.sleep_forever()
        return await busy(request)

    with anyio.CancelScope() as scope:
        await at_once([one], answer, 1)
    with anyio.fail_after(10):
        answers = await at_once([one], answer, 3)
    assert [answer.result for answer in answers] == [Response("yes", 2, 1)] * 3


async def test_a_wait_that_another_was_asked_for_meanwhile_is_kept() -> None:
    gate, passed = Gate(), list[str]()
    go_on = {name: anyio.Event() for name in ("early", "first", "later")}

    async def call(name: str, seconds: float | None = None) -> None:
        with suppress(TransientFailure):
            async with gate.passing():
                passed.append(name)
                await go_on[name].wait()
                if seconds is not None:
                    raise TransientFailure("busy", retry_after=seconds)

    async with anyio.create_task_group() as group:
        group.start_soon(call, "early", 100)  # is under way while the gate closes and opens
        await anyio.wait_all_tasks_blocked()
        go_on["first"].set()
        await call("first", 0)
        go_on["first"] = anyio.Event()
        group.start_soon(call, "first")
        await anyio.wait_all_tasks_blocked()
        go_on["early"].set()
        await anyio.wait_all_tasks_blocked()
        go_on["first"].set()
        group.start_soon(call, "later")
        await anyio.wait_all_tasks_blocked()
        group.cancel_scope.cancel()
    assert passed == ["early", "first", "first"]


async def test_no_more_calls_are_made_at_once_than_allowed() -> None:
    under_way = most = 0

    async def answer(request: Request) -> str:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await anyio.lowlevel.checkpoint()
        under_way -= 1
        return "yes"

    await at_once([retrier(concurrency=3)], answer, 20)
    assert most == 3


async def test_pauses_grow_and_are_bounded_and_differ() -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    def answer(request: Request) -> str:
        raise TransientFailure("busy")

    config = ModelConfig(use="openai:x", retries=20)
    await at_once([Retrier(config, rng=rng_for(0), sleep=sleep)], answer, 1)
    assert len(pauses) == 20
    assert 0.25 <= pauses[0] <= 0.5
    assert all(later > 1.0 * first for first, later in zip(pauses[:5], pauses[2:7], strict=True))
    assert max(pauses) <= LONGEST_PAUSE
    assert len(set(pauses)) == 20


@pytest.mark.parametrize(
    ("failure", "passes"),
    [
        (TransientFailure("busy"), True),
        (TransientFailure("busy", retry_after=120), True),
        (TransientFailure("busy", retry_after=121), False),
        (MalformedResponse("html"), True),
        (TruncatedResponse("broke off"), True),
        (TruncatedResponse("too long", tokens=(1, 2)), False),
        (RefusedRequest("too long"), False),
    ],
)
async def test_what_is_worth_another_try(failure: ModelFailure, passes: bool) -> None:  # noqa: FBT001
    assert may_pass(failure) is passes


async def test_a_budget_that_holds_no_further_try_ends_the_call() -> None:
    class Spent(Exception):  # noqa: N818 - stands for a stop
        pass

    async def charge() -> None:
        raise Spent

    def answer(request: Request) -> str:
        raise TransientFailure("broke", billed=True)

    with pytest.raises(Spent):
        await retrier().ask(FunctionModel(answer), REQUEST, charge)

"""Which failures are tried again, how long after, and who accounts for the tries."""

from collections.abc import Callable

import anyio
import anyio.lowlevel
import pytest

from evolith.core.ids import rng_for
from evolith.core.messages import Message, Request, Response
from evolith.errors import (
    BudgetExceeded,
    MalformedResponse,
    ModelFailure,
    ProviderError,
    RefusedRequest,
    TransientFailure,
    TruncatedResponse,
)
from evolith.models.config import ModelConfig
from evolith.models.function import FunctionModel
from evolith.models.retry import LONGEST_PAUSE, Answer, Retrier, may_pass
from evolith.simulate.clock import run_virtual
from evolith.testing.counted_tries import CountedTries

REQUEST = Request((Message("user", "Say yes."),), max_tokens=9)


async def at_once(
    retrier: Retrier, answer: Callable[[Request], object], workers: int
) -> list[Answer]:
    """Ask with so many workers."""
    answers: list[Answer] = []

    async def ask() -> None:
        answers.append(await retrier.ask(FunctionModel(answer), REQUEST, CountedTries()))

    async with anyio.create_task_group() as group:
        for _ in range(workers):
            group.start_soon(ask)
    return answers


def retrier(concurrency: int = 64) -> Retrier:
    """Make one that does not pause by itself."""
    config = ModelConfig(use="openai:x", concurrency=concurrency)
    return Retrier(config, sleep=lambda _: anyio.lowlevel.checkpoint())


@pytest.mark.anyio
async def test_no_more_calls_are_made_at_once_than_allowed() -> None:
    under_way = most = 0

    async def answer(request: Request) -> str:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await anyio.lowlevel.checkpoint()
        under_way -= 1
        return "yes"

    await at_once(retrier(concurrency=3), answer, 20)
    assert most == 3


@pytest.mark.anyio
async def test_pauses_grow_and_are_bounded_and_differ() -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    def answer(request: Request) -> str:
        raise TransientFailure("busy")

    config = ModelConfig(use="openai:x", retries=20)
    await at_once(Retrier(config, rng=rng_for(0), sleep=sleep), answer, 1)
    assert len(pauses) == 20
    assert 0.25 <= pauses[0] <= 0.5
    assert all(later > 1.0 * first for first, later in zip(pauses[:5], pauses[2:7], strict=True))
    assert max(pauses) <= LONGEST_PAUSE
    assert len(set(pauses)) == 20


@pytest.mark.anyio
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


@pytest.mark.anyio
async def test_each_try_is_announced_and_each_failed_one_charged_or_spared() -> None:
    failures: list[ModelFailure] = [
        TransientFailure("broke", billed=True),
        TransientFailure("busy"),
        MalformedResponse("html"),
    ]
    tries = CountedTries()

    def answer(request: Request) -> str:
        if failures:
            raise failures.pop(0)
        return "yes"

    answered = await retrier().ask(FunctionModel(answer), REQUEST, tries)
    assert answered == Answer(Response("yes", 2, 1), 4)
    assert tries == CountedTries(reserved=2, sent=4, lost=2, spared=1)


@pytest.mark.parametrize(("others", "tries"), [(True, 13), (False, 5)])
def test_refusals_use_up_no_try_while_others_are_answered(others: bool, tries: int) -> None:  # noqa: FBT001
    left = [TransientFailure("busy", retry_after=1.0)] * 12

    async def answer(request: Request) -> str:
        await anyio.sleep(1)
        if request is REQUEST and left:
            raise left.pop()
        return "yes"

    async def session() -> Answer:
        one, another = retrier(), Request((Message("user", "And you?"),), max_tokens=9)
        answered: list[Answer] = []

        async def ask() -> None:
            answered.append(await one.ask(FunctionModel(answer), REQUEST, CountedTries()))
            group.cancel_scope.cancel()

        async def ask_beside() -> None:
            while True:
                await one.ask(FunctionModel(answer), another, CountedTries())

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            if others:
                group.start_soon(ask_beside)
        return answered[0]

    answer_or_failure = run_virtual(session)
    assert answer_or_failure.tries == tries
    assert isinstance(answer_or_failure.result, Response) is others


@pytest.mark.anyio
async def test_a_try_that_the_provider_refuses_for_good_is_spared() -> None:
    tries = CountedTries()

    def answer(request: Request) -> str:
        raise ProviderError("no such key")

    with pytest.raises(ProviderError):
        await retrier().ask(FunctionModel(answer), REQUEST, tries)
    assert tries == CountedTries(sent=1, spared=1)


@pytest.mark.anyio
async def test_a_budget_that_holds_no_further_try_ends_the_call() -> None:
    class Spent(CountedTries):
        async def reserve(self) -> None:
            raise BudgetExceeded("spent")

    def answer(request: Request) -> str:
        raise TransientFailure("broke", billed=True)

    tries = Spent()
    with pytest.raises(BudgetExceeded):
        await retrier().ask(FunctionModel(answer), REQUEST, tries)
    assert (tries.sent, tries.lost) == (1, 1)

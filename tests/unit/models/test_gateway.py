"""The gateway: every try is paid once, whatever became of it, in this session or a later one."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolith.archive.archive import Archive
from evolith.archive.store import Pending
from evolith.core.budget import Amount, Budget, Price
from evolith.core.events import CallLost, UsageExceeded, call_key
from evolith.core.messages import Message, Request, Response, Role
from evolith.errors import (
    BudgetExceeded,
    MalformedResponse,
    ModelFailure,
    ProviderError,
    TransientFailure,
)
from evolith.models.build import build_model
from evolith.models.config import ModelConfig
from evolith.models.function import FunctionModel
from evolith.models.gateway import Endpoint, Gateway
from evolith.models.ledger import Ledger
from evolith.models.retry import Retrier
from evolith.testing.fault_server import completion, serving, status
from evolith.testing.memory import MemoryStore

pytestmark = pytest.mark.anyio
REQUEST = Request((Message("user", "Say yes."),), max_tokens=10)
PRICE = Price(Decimal(1), Decimal(10))
UNBOUNDED = Budget()
BILLED = TransientFailure("no whole answer came", billed=True)
FREE = TransientFailure("busy")


class Remote(FunctionModel):
    """A function that bills like a server."""

    remote = True


WORST_IN = Remote(lambda request: "yes").most_tokens_in(REQUEST)
WORST = Amount(WORST_IN, 10, PRICE.of(WORST_IN, 10), 0, 1)
ANSWERED = Amount(2, 1, PRICE.of(2, 1), 0, 1)


def session(
    store: MemoryStore,
    function: Callable[[Request], object],
    *,
    budget: Budget = UNBOUNDED,
    number: int = 1,
    retries: int = 4,
) -> Gateway:
    """Begin a session on the archive as the last one left it."""
    archive = Archive(store, lambda: 0.0)
    config = ModelConfig(use="openai:x", retries=retries)
    retrier = Retrier(config, sleep=lambda _: anyio.lowlevel.checkpoint())
    endpoint = Endpoint(Remote(function), PRICE, retrier)
    ledger = Ledger(budget, archive.state.total)
    return Gateway(archive, ledger, {Role.TASK: endpoint}, lambda: 0.0, number)


async def resumed(store: MemoryStore, number: int = 2) -> Amount:
    """Return what a later session counts as spent."""
    gateway = session(store, lambda request: "yes", number=number)
    await gateway.charge_lost()
    assert store.pending() == []
    return gateway.archive.state.total


def saying(*answers: str | Exception) -> Callable[[Request], str]:
    """Return a model that gives one answer after the other; the last one stays."""
    left = list(answers)

    def answer(request: Request) -> str:
        said = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(said, Exception):
            raise said
        return said

    return answer


async def given_up(store: MemoryStore, provider: Callable[[], Awaitable[None]]) -> Gateway:
    """Give a call up when nothing moves any more; return the session."""
    asked = anyio.Event()

    async def answer(request: Request) -> str:
        asked.set()
        await provider()
        return "yes"

    gateway = session(store, answer)
    async with anyio.create_task_group() as group:
        group.start_soon(gateway.line(Role.TASK, "here"), REQUEST)
        await asked.wait()
        await anyio.wait_all_tasks_blocked()
        group.cancel_scope.cancel()
    return gateway


async def test_each_billed_try_is_on_record_before_the_next_is_sent() -> None:
    store, recorded = MemoryStore(), list[int]()

    def answer(request: Request) -> str:
        events = [entry.event for entry in store.entries()]
        recorded.append(sum(isinstance(event, CallLost) for event in events))
        assert len(store.pending()) == 1
        if len(recorded) < 4:
            raise BILLED
        return "yes"

    gateway = session(store, answer)
    assert await gateway.line(Role.TASK, "here")(REQUEST) == Response("yes", 2, 1)
    assert recorded == [0, 1, 2, 3]
    assert gateway.ledger.spent == WORST.times(3) + ANSWERED
    assert gateway.ledger.reserved == Amount()
    assert await resumed(store) == WORST.times(3) + ANSWERED


@settings(max_examples=40)
@given(
    st.lists(
        st.lists(st.sampled_from([BILLED, FREE, MalformedResponse("html"), "yes"]), max_size=9),
        min_size=1,
        max_size=6,
    ),
    st.integers(1, 12),
)
def test_sessions_that_the_budget_stops_do_not_pass_it_together(
    sessions: list[list[str | ModelFailure]], worsts: int
) -> None:
    store, budget = MemoryStore(), Budget(money=WORST.money * worsts)
    billed = Amount()

    async def work(number: int, answers: list[str | ModelFailure]) -> None:
        nonlocal billed

        def answer(request: Request) -> str:
            nonlocal billed
            said = answers.pop(0) if answers else BILLED
            if said is not FREE:
                billed += ANSWERED if said == "yes" else WORST
            if isinstance(said, ModelFailure):
                raise said
            return said

        gateway = session(store, answer, budget=budget, number=number)
        await gateway.charge_lost()
        assert gateway.archive.state.total.money == billed.money
        with suppress(BudgetExceeded):
            for call in range(4):
                with suppress(ModelFailure):
                    await gateway.line(Role.TASK, f"{number}/{call}")(REQUEST)
        assert gateway.ledger.spent.money == billed.money

    for number, answers in enumerate(sessions, start=1):
        anyio.run(work, number, answers)
        assert billed.money <= WORST.money * worsts
    assert anyio.run(resumed, store, 99).money == billed.money


async def test_the_archive_hash_does_not_tell_of_failed_tries() -> None:
    smooth, rough = MemoryStore(), MemoryStore()
    await session(smooth, saying("yes")).line(Role.TASK, "here")(REQUEST)
    await session(rough, saying(BILLED, FREE, "yes")).line(Role.TASK, "here")(REQUEST)
    assert smooth.hash() == rough.hash()


async def test_the_same_call_can_lose_tries_twice_in_a_session() -> None:
    store = MemoryStore()
    gateway = session(store, saying(BILLED), budget=Budget(money=WORST.money), retries=9)
    for _ in range(2):
        with pytest.raises(BudgetExceeded):
            await gateway.line(Role.TASK, "here")(REQUEST)
        gateway.ledger = Ledger(Budget(money=WORST.money), Amount())
    assert await resumed(store) == WORST.times(2)


async def test_a_call_that_is_given_up_is_charged_at_once_and_once() -> None:
    store = MemoryStore()

    async def silent() -> None:
        await anyio.sleep_forever()

    gateway = await given_up(store, silent)
    assert gateway.ledger.spent == WORST
    assert gateway.ledger.reserved == Amount()
    assert await resumed(store) == WORST


async def test_a_call_that_waits_its_turn_costs_nothing_when_it_is_given_up() -> None:
    store = MemoryStore()

    async def busy() -> None:
        await anyio.lowlevel.checkpoint()
        raise TransientFailure("busy", retry_after=100.0)

    gateway = await given_up(store, busy)
    assert gateway.ledger.reserved == Amount()
    assert await resumed(store) == Amount()


async def test_a_refused_key_costs_nothing() -> None:
    store = MemoryStore()
    gateway = session(store, saying(ProviderError("no such key")))
    with pytest.raises(ProviderError):
        await gateway.line(Role.TASK, "here")(REQUEST)
    assert gateway.ledger.spent == Amount()
    assert await resumed(store) == Amount()


async def test_a_killed_call_is_charged_once() -> None:
    store = MemoryStore()
    key = call_key("here/task/0", REQUEST.hash)
    await store.send(Pending(key, Role.TASK, "m", WORST_IN, 10, WORST.money))
    assert await resumed(store) == WORST
    assert await resumed(store, number=3) == WORST


def test_a_server_that_reports_more_than_was_reserved_is_paid_flagged_and_ends_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    store = MemoryStore()

    async def ask(gateway: Gateway) -> None:
        line = gateway.line(Role.TASK, "here")
        for _ in range(3):
            await line(REQUEST)
        with pytest.raises(BudgetExceeded, match="reported more than its call had reserved"):
            await line(REQUEST)
        await gateway.endpoints[Role.TASK].model.aclose()

    with serving(
        completion("yes", usage=(7, 3)),
        completion("yes", usage=(7, 40)),
        completion("yes", usage=(7, 4000)),
    ) as server:
        config = ModelConfig(use="openai:x", base_url=server.url)
        endpoint = Endpoint(build_model(config, Path()), PRICE, Retrier(config))
        archive = Archive(store, lambda: 0.0)
        ledger = Ledger(Budget(tokens=1000), Amount())
        gateway = Gateway(archive, ledger, {Role.TASK: endpoint}, lambda: 0.0)
        anyio.run(ask, gateway)
        assert len(server.received) == 3
    assert archive.state.total.tokens == 7 + 3 + 7 + 40 + 7 + 4000
    flagged = [(event.reserved_out, event.tokens_out) for event in archive.state.exceeded]
    assert flagged == [(10, 40), (10, 4000)]
    assert all(isinstance(event, UsageExceeded) for event in archive.state.exceeded)


def test_a_limit_of_one_provider_is_told_once_for_all_roles() -> None:
    store = MemoryStore()
    gateway = session(store, saying("yes"))
    gateway.endpoints = dict.fromkeys(Role, gateway.endpoints[Role.TASK])

    async def figures() -> int:
        await gateway.line(Role.JUDGE, "here")(REQUEST)
        return len(gateway.figures())

    assert anyio.run(figures) == 1


def test_a_final_failure_that_may_be_billed_is_charged_with_the_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    store = MemoryStore()

    async def ask(gateway: Gateway) -> None:
        with pytest.raises(TransientFailure):
            await gateway.line(Role.TASK, "here")(REQUEST)
        await gateway.endpoints[Role.TASK].model.aclose()

    with serving(status(500)) as server:
        config = ModelConfig(use="openai:x", base_url=server.url, retries=0)
        endpoint = Endpoint(build_model(config, Path()), PRICE, Retrier(config))
        archive = Archive(store, lambda: 0.0)
        gateway = Gateway(archive, Ledger(Budget(), Amount()), {Role.TASK: endpoint}, lambda: 0.0)
        anyio.run(ask, gateway)
    assert archive.state.total == WORST
    assert archive.state.lost == Amount()

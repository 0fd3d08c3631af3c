import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.errors import TransientFailure
from evolith.simulate.clock import run_virtual
from evolith.simulate.draws import Latency
from evolith.simulate.service import Service
from evolith.simulate.world import Kind, World

WORLD = World(Kind.NOISY, 0)


def asked(service: Service, texts: list[str]) -> None:
    """Ask everything at once and wait for all answers."""

    async def all_at_once() -> None:
        async with anyio.create_task_group() as group:
            for text in texts:
                group.start_soon(service.ask, "fake-task", "RULE-01", text)

    run_virtual(all_at_once)


def texts(count: int) -> list[str]:
    return [f"key={number:08x}" for number in range(count)]


@given(st.integers(1, 8), st.integers(1, 40))
def test_no_more_calls_are_worked_on_than_there_are_slots(slots: int, count: int) -> None:
    service = Service(WORLD, Latency(1.0, 0.8), slots)
    asked(service, texts(count))
    assert len(service.served) == count
    for call in service.served:
        beside = [c for c in service.served if c.started <= call.started < c.ended]
        assert len(beside) <= slots
        assert call.ended - call.started == pytest.approx(call.latency)


@given(st.permutations(texts(12)))
def test_answers_and_latencies_do_not_depend_on_the_order_of_calls(order: list[str]) -> None:
    def rows(those: list[str]) -> list[tuple[float, str]]:
        service = Service(WORLD, Latency(1.0, 0.8), 3)
        asked(service, those)
        return sorted((call.latency, call.text) for call in service.served)

    assert rows(order) == rows(texts(12))


def test_asking_the_same_again_draws_again() -> None:
    service = Service(WORLD, Latency(1.0, 0.8))
    asked(service, ["key=00000001"] * 60)
    assert len({call.latency for call in service.served}) == 60
    assert len({call.text for call in service.served}) == 2


def test_latencies_have_the_stated_mean_and_none_without_spread_differs() -> None:
    some = [Latency(2.0, 0.8).of(0, "fake-task", text, 0) for text in texts(4000)]
    assert sum(some) / len(some) == pytest.approx(2.0, rel=0.1)
    assert Latency(2.0, 0.0).of(0, "fake-task", "x", 0) == pytest.approx(2.0)


def test_above_its_limit_a_service_refuses_and_says_how_long_to_wait() -> None:
    async def ask() -> float | None:
        service = Service(WORLD, Latency(1.0, 0.0), requests_per_minute=2)
        for text in texts(2):
            await service.ask("fake-task", "", text)
        with pytest.raises(TransientFailure) as refused:
            await service.ask("fake-task", "", "key=00000009")
        await anyio.sleep(refused.value.retry_after or 0)
        await service.ask("fake-task", "", "key=00000009")
        return refused.value.retry_after

    assert run_virtual(ask) == pytest.approx(58)

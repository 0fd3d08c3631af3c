"""Rate limits on a virtual clock: used to the full, with hardly a refusal, stated or not."""

from itertools import count

import anyio
import pytest

from evolith.core.ids import rng_for
from evolith.core.messages import Message, Request, Response
from evolith.errors import TransientFailure
from evolith.models.config import ModelConfig
from evolith.models.function import FunctionModel
from evolith.models.gate import Gate, Limits
from evolith.models.retry import Retrier
from evolith.simulate.clock import run_virtual
from evolith.testing.counted_tries import CountedTries
from evolith.testing.rate_limits import FixedWindow, Limit, Limited, SlidingWindow, TokenBucket

WINDOWS = 6


def work(
    limit: Limit, *, workers: int, latency: float, stated: int | None = None, offset: float = 0.0
) -> tuple[Limited, list[object]]:
    """Ask a provider for some windows without a pause; return it, and what was answered."""
    results: list[object] = []

    async def session() -> Limited:
        provider, numbers = Limited(limit, anyio.current_time), count()
        if offset:
            provider.ask("before")  # so that its first window has begun
            await anyio.sleep(offset)

        async def answer(request: Request) -> str:
            await anyio.sleep(latency / 10)
            wait = provider.ask(request.messages[0].content)
            if wait:
                raise TransientFailure("slow down", retry_after=wait)
            await anyio.sleep(latency * 9 / 10)
            return "yes"

        gate = Gate(limits=Limits(requests_per_minute=stated))
        retrier = Retrier(ModelConfig(use="openai:x"), gate, rng_for(0))

        async def worker() -> None:
            for number in numbers:
                request = Request((Message("user", f"call {number}"),), max_tokens=9)
                done = await retrier.ask(FunctionModel(answer), request, CountedTries())
                results.append(done.result)

        with anyio.move_on_after(limit.seconds * WINDOWS - offset):
            async with anyio.create_task_group() as group:
                for _ in range(workers):
                    group.start_soon(worker)
        return provider

    return run_virtual(session), results


@pytest.mark.parametrize(("workers", "latency"), [(64, 0.1), (32, 2.0), (64, 10.0), (4, 0.1)])
@pytest.mark.parametrize("counted", [FixedWindow, SlidingWindow])
@pytest.mark.parametrize("requests", [60, 240])
def test_a_limit_a_minute_is_learned_from_refusals_and_used_to_the_full(
    counted: type[FixedWindow | SlidingWindow], requests: int, workers: int, latency: float
) -> None:
    provider, results = work(counted(requests, 60.0), workers=workers, latency=latency)
    assert provider.most_refused() <= 1
    assert len(provider.taken) >= 0.95 * requests * WINDOWS
    assert all(isinstance(result, Response) for result in results)
    later = [at for at, _ in provider.refused if at >= 60]
    assert len(later) <= 0.1 * len(provider.taken)


@pytest.mark.parametrize(("workers", "latency"), [(64, 0.1), (32, 2.0), (64, 10.0), (4, 0.1)])
def test_a_limit_that_fills_up_drop_by_drop_is_learned_as_well(
    workers: int, latency: float
) -> None:
    provider, results = work(TokenBucket(60, 60.0), workers=workers, latency=latency)
    assert len(provider.taken) >= 60 + 0.95 * 60 * WINDOWS  # it is full at first
    assert all(isinstance(result, Response) for result in results)
    assert len(provider.refused) <= 0.1 * len(provider.taken)


@pytest.mark.parametrize("offset", [10.0, 30.0, 50.0])
def test_a_window_that_had_begun_before_misleads_for_one_window_only(offset: float) -> None:
    provider, _ = work(FixedWindow(60, 60.0), workers=64, latency=0.1, offset=offset)
    assert provider.most_refused() <= 1
    assert len(provider.taken) >= 0.95 * 60 * WINDOWS


@pytest.mark.parametrize("counted", [FixedWindow, SlidingWindow, TokenBucket])
@pytest.mark.parametrize(("requests", "seconds"), [(60, 60.0), (60, 10.0), (10, 1.0), (600, 60.0)])
def test_no_call_is_refused_where_the_limit_is_stated(
    counted: type[FixedWindow | SlidingWindow | TokenBucket], requests: int, seconds: float
) -> None:
    a_minute = round(requests * 60 / seconds)
    provider, _ = work(counted(requests, seconds), workers=64, latency=0.1, stated=a_minute)
    assert provider.refused == []
    assert len(provider.taken) >= 0.95 * requests * WINDOWS

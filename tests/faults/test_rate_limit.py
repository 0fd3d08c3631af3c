"""A real server with a rate limit, which says with each refusal how long to wait."""

import time
from itertools import count
from pathlib import Path

import anyio
import pytest

from evolith.core.messages import Message, Request, Response
from evolith.models.build import build_model
from evolith.models.config import ModelConfig
from evolith.models.gate import Gate, Limits
from evolith.models.retry import Answer, Retrier
from evolith.testing.counted_tries import CountedTries
from evolith.testing.fault_server import serving
from evolith.testing.rate_limits import FixedWindow, Limited

CALLS = 45


@pytest.mark.anyio
@pytest.mark.parametrize("stated", [None, 1200])
async def test_every_call_is_answered_and_none_is_refused_twice_in_a_window(
    stated: int | None,
) -> None:
    provider, numbers, answers = (
        Limited(FixedWindow(20, 1.0), time.monotonic),
        count(),
        list[Answer](),
    )
    with serving(provider.reply) as server:
        config = ModelConfig(use="openai:small", base_url=server.url)
        model = build_model(config, Path())
        retrier = Retrier(config, Gate(limits=Limits(requests_per_minute=stated)))

        async def worker() -> None:
            while (number := next(numbers)) < CALLS:
                request = Request((Message("user", f"call {number}"),), max_tokens=9)
                answers.append(await retrier.ask(model, request, CountedTries()))

        async with anyio.create_task_group() as group:
            for _ in range(32):
                group.start_soon(worker)
        await model.aclose()
    assert len(answers) == CALLS
    assert {type(answer.result) for answer in answers} == {Response}
    assert provider.most_refused() <= 1
    assert sum(answer.tries for answer in answers) == CALLS + len(provider.refused)

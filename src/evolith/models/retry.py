"""When a call is made again: the rules between the gateway and a model."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

from evolith.core.messages import Request, Response
from evolith.core.ports import Model
from evolith.errors import MalformedResponse, ModelFailure, TransientFailure, TruncatedResponse
from evolith.models.config import ModelConfig
from evolith.models.gate import LONGEST_WAIT, Gate

FIRST_PAUSE = 0.5
"""Seconds before the second try, about; each further pause is twice as long."""
LONGEST_PAUSE = 30.0
"""Seconds of the longest pause that the server did not ask for."""
BROKEN_TRIES = 2
"""Further tries after answers that are no completion or that broke off."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a call.

    Args:
        result: The response, or why there is none.
        tries: How often the model was asked.
        billed: Failed tries before the last that may have been charged all the same.
    """

    result: Response | ModelFailure
    tries: int = 1
    billed: int = 0


class Retrier:
    """Asks a model by the rules, and by no more calls at once than its settings allow.

    Args:
        config: How often to try and how many calls to make at once.
        gate: Shared by all retriers of one provider key, so that a request to wait reaches all.
        rng: Jitter of the pauses; never part of a result.
        sleep: Pauses; injected so that tests need not wait.
    """

    def __init__(
        self,
        config: ModelConfig,
        gate: Gate | None = None,
        rng: random.Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._retries = config.retries
        self._places = anyio.CapacityLimiter(config.concurrency)
        self._gate = gate or Gate()
        self._rng = rng or random.Random()  # noqa: S311 - jitter is no secret
        self._sleep = sleep

    async def ask(
        self, model: Model, request: Request, charge_try: Callable[[], Awaitable[None]]
    ) -> Answer:
        """Ask until there is an answer, a failure that will not pass, or the tries are used up.

        Args:
            model: What to ask.
            request: What to ask it.
            charge_try: Called before a further try when the last one may have been billed.

        Raises:
            ProviderError: no call of the run can succeed.
            RunStopped: what `charge_try` raises.
        """
        tries = billed = broken = 0
        while True:
            tries += 1
            try:
                async with self._places, self._gate.passing():
                    return Answer(await model.complete(request), tries, billed)
            except ModelFailure as failure:
                broken += not isinstance(failure, TransientFailure)
                if tries > self._retries or broken > BROKEN_TRIES or not may_pass(failure):
                    return Answer(_final(failure), tries, billed)
                charged = not isinstance(failure, TransientFailure) or failure.billed
            if charged:
                billed += 1
                await charge_try()
            await self._sleep(self._pause(tries))

    def _pause(self, tries: int) -> float:
        """Return the seconds before the next try; the gate may hold it back for longer."""
        longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (tries - 1))
        return longest * self._rng.uniform(0.5, 1.0)


def may_pass(failure: ModelFailure) -> bool:
    """Say whether another try may give an answer."""
    match failure:
        case TransientFailure():
            return failure.retry_after is None or failure.retry_after <= LONGEST_WAIT
        case TruncatedResponse():
            return failure.tokens is None  # broken off; one that was cut would be cut again
        case MalformedResponse():
            return True
    return False


def _final(failure: ModelFailure) -> ModelFailure:
    if isinstance(failure, TransientFailure) and not may_pass(failure):
        asked = f"{failure.message}; it asks to wait {failure.retry_after:g} seconds"
        longest = f"more than the {LONGEST_WAIT:g} that a call waits"
        return TransientFailure(
            f"{asked}, {longest}", retry_after=failure.retry_after, billed=failure.billed
        )
    return failure

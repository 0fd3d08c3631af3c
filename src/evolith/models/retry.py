"""When a call is made again: the rules between the gateway and a model."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

import anyio

from evolith.core.messages import Request, Response
from evolith.core.ports import Model
from evolith.errors import (
    MalformedResponse,
    ModelFailure,
    ProviderError,
    TransientFailure,
    TruncatedResponse,
)
from evolith.models.config import ModelConfig
from evolith.models.gate import LONGEST_WAIT, Gate
from evolith.models.tokens import estimate_in

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
    """

    result: Response | ModelFailure
    tries: int = 1


class Tries(Protocol):
    """Hears of each try of a call, in time to account for it."""

    async def reserve(self) -> None:
        """Set aside what another try may cost. The first was reserved by whoever asks.

        Raises:
            RunStopped: the budget does not hold it, or the run is being stopped.
        """
        ...

    async def send(self) -> None:
        """Take note that a try is about to be sent."""
        ...

    async def lose(self) -> None:
        """Charge a try that gave no answer and may have been billed."""
        ...

    async def spare(self) -> None:
        """Charge nothing for a try that was not billed."""
        ...


class Retrier:
    """Asks a model by the rules, and by no more calls at once than its settings allow.

    A refusal that says how long to wait uses up no try while other calls are answered: the provider
    works, and it was this call's bad luck to come when the limit was reached.

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
        self.gate = gate or Gate()
        self._rng = rng or random.Random()  # noqa: S311 - jitter is no secret
        self._sleep = sleep

    async def ask(self, model: Model, request: Request, account: Tries) -> Answer:
        """Ask until there is an answer, a failure that will not pass, or the tries are used up.

        Args:
            model: What to ask.
            request: What to ask it.
            account: Hears of each try but of the end of the last, which is the answer.

        Raises:
            ProviderError: no call of the run can succeed.
            RunStopped: the budget does not hold a further try.
        """
        tries = broken = excused = 0
        while True:
            tries += 1
            others = self.gate.answered
            try:
                return Answer(await self._once(model, request, account), tries)
            except ProviderError:
                await account.spare()
                raise
            except ModelFailure as failure:
                broken += not isinstance(failure, TransientFailure)
                excused += _is_rate_limit(failure) and self.gate.answered > others
                counted = tries - excused
                if counted > self._retries or broken > BROKEN_TRIES or not may_pass(failure):
                    return Answer(_final(failure), tries)
                charged = not isinstance(failure, TransientFailure) or failure.billed
            if charged:
                await account.lose()
                await account.reserve()
            else:
                await account.spare()
            await self._sleep(self._pause(counted))

    async def _once(self, model: Model, request: Request, account: Tries) -> Response:
        about = estimate_in(request) + request.max_tokens
        async with self._places, self.gate.passing(about) as passage:
            await account.send()
            response = await model.complete(request)
            passage.tokens = response.tokens_in + response.tokens_out
            return response

    def _pause(self, tries: int) -> float:
        """Return the seconds before the next try; the gate may hold it back for longer."""
        longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** max(0, tries - 1))
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


def _is_rate_limit(failure: ModelFailure) -> bool:
    return isinstance(failure, TransientFailure) and failure.retry_after is not None


def _final(failure: ModelFailure) -> ModelFailure:
    if isinstance(failure, TransientFailure) and not may_pass(failure):
        asked = f"{failure.message}; it asks to wait {failure.retry_after:g} seconds"
        longest = f"more than the {LONGEST_WAIT:g} that a call waits"
        return TransientFailure(
            f"{asked}, {longest}", retry_after=failure.retry_after, billed=failure.billed
        )
    return failure

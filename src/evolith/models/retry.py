"""When a call is tried again, and when everybody waits: the rules for one provider key."""

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from evolith.core.messages import Request, Response
from evolith.core.ports import Model
from evolith.errors import MalformedResponse, ModelFailure, TransientFailure
from evolith.models.config import ModelConfig

FIRST_WAIT = 0.5
"""Seconds before the second try; each further wait is twice as long."""
LONGEST_WAIT = 8.0
"""Seconds of the longest wait that the server did not ask for."""
LONGEST_RETRY_AFTER = 120.0
"""Seconds that a server may ask for; a longer wait ends the call, not the patience of a run."""
MALFORMED_TRIES = 2
"""Further tries after an answer that is no completion."""


@dataclass(slots=True)
class Answer:
    """What came of a call.

    Args:
        result: The response, or why there is none.
        tries: How often the model was asked.
        billed: Failed tries that may have been charged all the same.
    """

    result: Response | ModelFailure
    tries: int = 1
    billed: int = 0


class Retrier:
    """Asks a model by the rules. All workers that use one provider key share one.

    A `Retry-After` holds everybody back for as long as the server asks, and then one call goes
    first: only when it has come back do the others follow.

    Args:
        config: How often to try and how many calls to make at once.
        rng: Jitter of the waits; never part of a result.
    """

    def __init__(self, config: ModelConfig, rng: random.Random | None = None) -> None:
        self._retries = config.retries
        self._places = anyio.CapacityLimiter(config.concurrency)
        self._gate = Gate()
        self._rng = rng or random.Random()  # noqa: S311 - jitter is no secret

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
        tries = billed = malformed = 0
        while True:
            tries += 1
            try:
                async with self._places, self._gate.passing():
                    return Answer(await model.complete(request), tries, billed)
            except TransientFailure as failure:
                wait = self._wait(failure, tries)
                if wait is None:
                    return Answer(failure, tries, billed)
                charged = failure.billed
            except MalformedResponse as failure:
                malformed += 1
                if malformed > min(MALFORMED_TRIES, self._retries):
                    return Answer(failure, tries, billed)
                charged, wait = True, self._backoff(malformed)
            except ModelFailure as failure:
                return Answer(failure, tries, billed)
            if charged:
                billed += 1
                await charge_try()
            await anyio.sleep(wait)

    def _wait(self, failure: TransientFailure, tries: int) -> float | None:
        """Return how long to wait before the next try, or None to give up."""
        if failure.retry_after is not None:
            if failure.retry_after > LONGEST_RETRY_AFTER:
                return None
            self._gate.close_for(failure.retry_after)
        if tries > self._retries:
            return None
        return 0.0 if failure.retry_after is not None else self._backoff(tries)

    def _backoff(self, tries: int) -> float:
        longest = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (tries - 1))
        return longest * self._rng.uniform(0.5, 1.0)


@dataclass(slots=True)
class Gate:
    """Lets calls through, except while a server has asked everybody to wait."""

    _opens: float = 0.0
    _probing: bool = False
    _tight: bool = False
    _changed: anyio.Event = field(default_factory=anyio.Event)

    def close_for(self, seconds: float) -> None:
        """Hold everybody back for `seconds` from now, then let one go first."""
        self._opens = max(self._opens, anyio.current_time() + seconds)
        self._tight = True

    @asynccontextmanager
    async def passing(self) -> AsyncIterator[None]:
        """Wait until calls may go, and stay for the length of one."""
        first = await self._first()
        tight = True
        try:
            yield
            tight = False
        except TransientFailure as failure:
            tight = failure.retry_after is not None
            raise
        finally:
            if first:
                self._first_is_back(tight=tight)

    async def _first(self) -> bool:
        """Wait; say whether this call is the one that goes first after a wait."""
        while self._tight:
            if self._probing:
                await self._changed.wait()
            elif (left := self._opens - anyio.current_time()) > 0:
                await anyio.sleep(left)
            else:
                self._probing = True
                return True
        return False

    def _first_is_back(self, *, tight: bool) -> None:
        self._probing, self._tight = False, tight
        self._changed.set()
        self._changed = anyio.Event()

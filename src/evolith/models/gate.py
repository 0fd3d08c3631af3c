"""Who may call a provider, and when: one gate for each key, shared by all roles that use it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio

from evolith.errors import ModelFailure, TransientFailure, TruncatedResponse
from evolith.models.concurrency import Concurrency
from evolith.models.pace import LearnedPace, Pace
from evolith.models.reopening import Reopening

LONGEST_WAIT = 120.0
"""Seconds that a provider may ask for. For a longer wait nobody is held: the call has failed."""
SHARE = 0.98
"""The part of a stated limit that is used; the rest is for calls that take longer on their way."""
BURST = 1 - SHARE
"""Seconds of silence made up for, so that no second has more calls than the limit allows it."""
MOMENT = 1e-6
"""Seconds that make no difference: timers are no finer."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the settings say of one provider key; None where they say nothing.

    Args:
        concurrency: Most calls at once.
        requests_per_minute: Calls that the provider takes in a minute.
        tokens_per_minute: Prompt and completion tokens that it takes in a minute.
    """

    concurrency: int = 64
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


@dataclass(frozen=True, slots=True)
class GateFigures:
    """What a gate did so far, for a report.

    Args:
        provider: Which key at which server.
        concurrency: Calls that may be under way at once now.
        under_way: Calls that are.
        refused: Calls that the provider refused as too many.
        throttled: How often it made everybody wait.
        waited: Seconds that calls waited here, added up over calls.
        pace: Calls a minute that the provider takes, by the last refusal; None before the first.
    """

    provider: str
    concurrency: int
    under_way: int
    refused: int
    throttled: int
    waited: float
    pace: float | None


@dataclass(slots=True)
class Passage:
    """One call on its way.

    Args:
        sent_at: When it was let through, on anyio's clock.
        tokens: What it may use, prompt and completion together; set to what it did use.
    """

    sent_at: float
    tokens: int


class Gate:
    """Lets calls through one after the other, in the order of asking.

    No more are under way than `Concurrency` says, and they follow each other as the limits of the
    settings and what refusals have taught allow. While the provider has asked to wait, everybody
    waits; after the wait one call goes first, and the others follow while none is refused.

    Args:
        provider: Which key at which server.
        limits: What the settings say of it.
    """

    def __init__(self, provider: str = "", limits: Limits = Limits()) -> None:
        self.provider = provider
        self.answered = 0
        """Calls that were answered so far."""
        self._concurrency = Concurrency(limits.concurrency)
        self._learned = LearnedPace()
        self._reopening = Reopening()
        self._requests = _pace(limits.requests_per_minute)
        self._tokens = _pace(limits.tokens_per_minute)
        self._turn = anyio.Lock(fast_acquire=True)
        self._open = True
        self._opens_at = 0.0
        self._changed = anyio.Event()
        self._under_way = self._refused = self._throttled = 0
        self._waited = 0.0

    @asynccontextmanager
    async def passing(self, tokens: int = 0) -> AsyncIterator[Passage]:
        """Wait until a call may go, and stay for the length of it.

        Args:
            tokens: What the call may use, prompt and completion together.
        """
        asked_at = anyio.current_time()
        async with self._turn:
            await self._wait()
            passage = self._let_through(tokens)
        self._waited += passage.sent_at - asked_at
        try:
            yield passage
            self.answered += 1
            self._concurrency.answered()
            self._reopening.answered(passage.sent_at)
        except ModelFailure as failure:
            self._learn_from(passage, failure)
            raise
        finally:
            self._come_back(passage, tokens)

    def figures(self) -> GateFigures:
        """Return what the gate did so far."""
        learned = self._learned.learned
        return GateFigures(
            self.provider,
            self._concurrency.level,
            self._under_way,
            self._refused,
            self._throttled,
            self._waited,
            None if learned is None else learned * 60,
        )

    async def _wait(self) -> None:
        while True:
            now = anyio.current_time()
            if self._under_way >= self._concurrency.level:
                await self._changed.wait()
            elif (left := self._seconds_left(now)) > MOMENT:
                with anyio.move_on_after(left):
                    await self._changed.wait()
            else:
                return

    def _seconds_left(self, now: float) -> float:
        if not self._open:
            if (left := self._opens_at - now) > MOMENT:
                return left
            self._learned.learn(self._opens_at)
            self._reopening.begin()
            self._open = True
        stated = [pace.wait(now) for pace in (self._requests, self._tokens) if pace is not None]
        return max(self._learned.wait(now), self._reopening.wait(now), *stated)

    def _let_through(self, tokens: int) -> Passage:
        now = anyio.current_time()
        self._under_way += 1
        self._learned.sent(now)
        self._reopening.sent(now)
        if self._requests is not None:
            self._requests.take(1, now)
        if self._tokens is not None:
            self._tokens.take(tokens, now)
        return Passage(now, tokens)

    def _learn_from(self, passage: Passage, failure: ModelFailure) -> None:
        if isinstance(failure, TruncatedResponse) and failure.tokens is not None:
            passage.tokens = sum(failure.tokens)
        if not isinstance(failure, TransientFailure) or not failure.busy:
            return
        now, seconds = anyio.current_time(), failure.retry_after
        self._refused += 1
        passage.tokens = 0
        self._learned.refused(passage.sent_at)
        self._reopening.refused(passage.sent_at, now)
        self._concurrency.refused(passage.sent_at, now, paced=seconds is not None)
        if seconds is not None and seconds <= LONGEST_WAIT:
            self._throttled += self._open
            self._open = False
            self._opens_at = max(self._opens_at, now + seconds)

    def _come_back(self, passage: Passage, reserved: int) -> None:
        self._under_way -= 1
        self._learned.came_back(anyio.current_time())
        if self._tokens is not None:
            self._tokens.give_back(reserved - passage.tokens)
        self._changed.set()
        self._changed = anyio.Event()


def _pace(a_minute: int | None) -> Pace | None:
    return None if a_minute is None else Pace(SHARE * a_minute / 60, BURST)

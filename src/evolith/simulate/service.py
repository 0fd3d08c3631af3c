"""The service behind the simulated models: it has so many slots, takes its time, and may refuse."""

from collections import Counter
from dataclasses import dataclass, field

import anyio

from evolith.errors import TransientFailure
from evolith.simulate.draws import Latency
from evolith.simulate.replies import reply
from evolith.simulate.world import World
from evolith.testing.rate_limits import SlidingWindow

MINUTE = 60.0
LETTERS_A_TOKEN = 4
"""Of prompts and answers alike."""


@dataclass(frozen=True, slots=True)
class Served:
    """A call that was answered; times in seconds of the running clock.

    Args:
        model: Who was asked.
        text: The answer.
        tokens_in: Of what was asked.
        tokens_out: Of the answer.
        arrived: When the call came.
        started: When a slot was free for it.
        ended: When it was answered.
        latency: How long the service worked on it.
    """

    model: str
    text: str
    tokens_in: int
    tokens_out: int
    arrived: float
    started: float
    ended: float
    latency: float


@dataclass(slots=True)
class Service:
    """Answers calls, at most `slots` at once and the others in the order of their coming.

    Answer and latency of a call depend on the world's seed, the model, the text and how often that
    text was asked before, never on the order of calls: who asks the same waits the same.

    Args:
        world: Where the models live.
        latency: How long a call takes.
        slots: Calls that are worked on at once.
        requests_per_minute: Calls that are taken in any minute; None for as many as come.
    """

    world: World
    latency: Latency
    slots: int = 32
    requests_per_minute: int | None = None
    served: list[Served] = field(default_factory=list)
    _places: anyio.Semaphore = field(init=False)
    _asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    _limit: SlidingWindow | None = field(init=False)

    def __post_init__(self) -> None:
        most = self.requests_per_minute
        self._places = anyio.Semaphore(self.slots)
        self._limit = None if most is None else SlidingWindow(most, MINUTE)

    async def ask(self, model: str, system: str, user: str) -> Served:
        """Answer a call.

        Args:
            model: Who is asked; see `replies.reply`.
            system: The system messages.
            user: All other messages.

        Raises:
            TransientFailure: the limit of requests is reached; with the seconds to wait.
        """
        arrived = anyio.current_time()
        self._take(arrived)
        text = f"{system}\x00{user}"
        nth = self._asked[model, text]
        self._asked[model, text] += 1
        answer = reply(self.world, model, system, user, nth)
        latency = self.latency.of(self.world.seed, model, text, nth)
        async with self._places:
            started = anyio.current_time()
            await anyio.sleep(latency)
        served = Served(
            model,
            answer,
            (len(system) + len(user)) // LETTERS_A_TOKEN,
            max(1, len(answer) // LETTERS_A_TOKEN),
            arrived,
            started,
            anyio.current_time(),
            latency,
        )
        self.served.append(served)
        return served

    def _take(self, now: float) -> None:
        wait = self._limit.ask(now) if self._limit is not None else 0.0
        if wait:
            raise TransientFailure(
                f"more than {self.requests_per_minute} requests in a minute", retry_after=wait
            )

"""One run of one system in one world: what it is told, how it is watched, and its row."""

import time
from contextlib import closing
from dataclasses import dataclass, field

from bench.client import Client
from bench.row import Row, rounded
from evolith.simulate.judge import Judge, Moment
from evolith.simulate.world import Kind, World

SLOTS = 32
"""Calls that the server works on at once."""
MEAN, SIGMA = 0.1, 0.8
"""Seconds of a call, and their spread (lognormal)."""


@dataclass(frozen=True, slots=True)
class Race:
    """What a system runs for.

    Args:
        kind: The world.
        seed: Of the world and of the system.
        url: The server's address, without a path; empty for a run on the virtual clock.
        target: The true score to reach.
        cap: Seconds after which the run is ended.
    """

    kind: Kind
    seed: int
    url: str = ""
    target: float = 0.6
    cap: float = 90.0


@dataclass(slots=True)
class Run:
    """A run of a peer, watched from outside of it.

    Args:
        race: What it runs for.
    """

    race: Race
    client: Client = field(init=False)
    world: World = field(init=False)
    judge: Judge = field(init=False)
    proposals: int = 0
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self.client = Client(self.race.url)
        self.client.reset()
        self.world = World(self.race.kind, self.race.seed)
        self.judge = Judge(self.world, self.race.target)
        self._began = time.perf_counter()

    @property
    def now(self) -> Moment:
        """How far the run is."""
        seconds = time.perf_counter() - self._began
        return Moment(seconds, self.client.calls, self.client.tokens)

    @property
    def done(self) -> bool:
        """Whether the run has what it runs for, or no time left."""
        return self.judge.pick is not None or self.now.seconds >= self.race.cap

    def row(self, system: str, end: Moment) -> Row:
        """Return what came of it."""
        return row_of(system, self.race, self.judge, end, self.proposals)


def row_of(system: str, race: Race, judge: Judge, end: Moment, proposals: int) -> Row:
    """Return a row of a run through the server; `end` is where the run ended."""
    with closing(Client(race.url)) as client:
        stats = client.stats()
    return watched(system, race, judge, end, proposals).model_copy(
        update={
            "clock": "real",
            "asked_s": stats.first_true_s,
            "in_flight": round(stats.total_latency_s / end.seconds, 2),
        }
    )


def watched(system: str, race: Race, judge: Judge, end: Moment, proposals: int) -> Row:
    """Return a row of what the judge has seen, without anything that a server knows."""
    hit, pick = judge.hit, judge.pick
    return Row(
        system=system,
        world=race.kind,
        seed=race.seed,
        target=race.target,
        cap_s=race.cap,
        hit_s=None if hit is None else round(hit.seconds, 2),
        hit_calls=None if hit is None else hit.calls,
        pick_s=None if pick is None else round(pick.seconds, 2),
        pick_calls=None if pick is None else pick.calls,
        pick_tokens=None if pick is None else pick.tokens,
        end_s=round(end.seconds, 2),
        end_calls=end.calls,
        end_tokens=end.tokens,
        end_true=round(judge.true, 3),
        end_own=round(judge.own, 3),
        best_true=round(judge.best, 3),
        accepted=judge.accepted,
        proposals=proposals,
        curve=rounded(judge.curve),
    )

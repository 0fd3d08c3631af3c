"""The pipeline under seeded interleavings: nothing is lost, done twice, or out of bounds."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolith.core.ids import rng_for
from evolith.engine.control import Control, Fixed, Median, ProportionalIntegral
from evolith.engine.figures import StageFigures
from evolith.engine.pipeline import Pulse, drive
from evolith.engine.stage import Stage, Workers
from evolith.errors import (
    ArchiveError,
    BudgetExceeded,
    EvolithError,
    ProviderError,
    UserCodeFailed,
)
from evolith.simulate.clock import run_virtual

FATES = st.sampled_from(["done", "done", "done", "settled", "raises"])
SEEDS = st.integers(0, 10**6)
NAMES = ("one", "two", "three")
ENDS = {"done": NAMES, "settled": ("one", "two"), "raises": ("one", "boom")}
"""The steps of a parcel by its fate."""
CONTROLS: dict[str, Control] = {
    "fixed": Fixed(),
    "median": Median(1.5),
    "pi": ProportionalIntegral(1.5),
}
HALTS = [BudgetExceeded("used up"), ProviderError("no"), ArchiveError("full"), UserCodeFailed("x")]


@dataclass(frozen=True)
class Parcel:
    number: int
    fate: str
    steps: tuple[str, ...] = ()
    over: bool = False


@dataclass
class World:
    """Parcels that take a random time in every stage."""

    fates: Sequence[str]
    seed: int
    halt: tuple[str, int, Exception] | None = None
    """Where, from which parcel on, and with what the run is ended."""
    patience: int = 0
    """How many parcels there are at first; each decision lets one more come. 0: all at once."""
    next: int = 0
    under_way: int = 0
    most_under_way: int = 0
    committing: int = 0
    committed: list[Parcel] = field(default_factory=list)
    done: Counter[tuple[int, str]] = field(default_factory=Counter)
    """How often each parcel was begun by each stage."""
    at_work: Counter[str] = field(default_factory=Counter)
    most_at_work: Counter[str] = field(default_factory=Counter)
    pulse: Pulse = field(default_factory=Pulse)
    figures: tuple[StageFigures, ...] = ()
    """At the end."""

    async def source(self) -> Parcel | None:
        self.check("source", self.next)
        if self.next == len(self.fates):
            return None
        if self.patience and self.next >= self.patience + len(self.committed):
            return None  # for now
        self.next += 1
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        number = self.next - 1
        await self.pause(number, "source")
        return Parcel(number, self.fates[number])

    def urgent(self, item: Parcel) -> bool:
        return item.number % 3 == 0

    def settled(self, item: Parcel) -> bool:
        return item.over

    def failed(self, item: Parcel, error: Exception) -> Parcel:
        return replace(item, over=True, steps=(*item.steps, str(error)))

    async def commit(self, item: Parcel) -> None:
        self.committing += 1
        assert self.committing == 1
        try:
            await self.pause(item.number, "commit")
            self.check("commit", item.number)
        finally:
            self.committing -= 1
        self.under_way -= 1
        self.committed.append(item)

    async def pause(self, number: int, where: str) -> None:
        rng = rng_for(self.seed, number, where)
        if rng.random() < 0.8:
            await anyio.sleep(rng.choice([0.0, 1.0, 1.0, rng.expovariate(1.0)]))

    def check(self, where: str, number: int) -> None:
        if self.halt is not None and self.halt[0] == where and number >= self.halt[1]:
            raise self.halt[2]

    def stage(self, name: str, workers: Workers, capacity: int) -> Stage[Parcel]:
        async def work(item: Parcel) -> Parcel:
            self.done[item.number, name] += 1
            self.at_work[name] += 1
            self.most_at_work[name] = max(self.most_at_work[name], self.at_work[name])
            await self.pause(item.number, name)
            self.at_work[name] -= 1
            self.check(name, item.number)
            if name == "two" and item.fate == "raises":
                raise ValueError("boom")
            over = name == "two" and item.fate == "settled"
            return replace(item, steps=(*item.steps, name), over=over)

        return Stage(name, work, workers, capacity)

    def run(
        self,
        in_flight: int,
        workers: Sequence[Workers] = (Workers(1, 2),) * 3,
        capacity: int = 2,
        control: Control | None = None,
    ) -> None:
        stages = [
            self.stage(name, pool, capacity) for name, pool in zip(NAMES, workers, strict=True)
        ]

        async def session() -> None:
            try:
                await drive(self, stages, in_flight, control, self.pulse)
            finally:
                self.figures = self.pulse.read()

        run_virtual(session)

    @property
    def numbers(self) -> list[int]:
        return [item.number for item in self.committed]


def pools() -> st.SearchStrategy[tuple[Workers, ...]]:
    one = st.builds(lambda least, more: Workers(least, least + more), st.integers(1, 3), SMALL)
    return st.tuples(one, one, one)


SMALL = st.integers(0, 3)


@settings(max_examples=600, deadline=None)
@given(
    st.lists(FATES, max_size=25),
    st.integers(1, 8),
    pools(),
    st.integers(1, 3),
    st.integers(0, 3),
    st.sampled_from(sorted(CONTROLS)),
    SEEDS,
)
def test_every_item_is_committed_once_by_one_committer_within_its_places(
    fates: list[str],
    in_flight: int,
    workers: tuple[Workers, ...],
    capacity: int,
    patience: int,
    control: str,
    seed: int,
) -> None:
    world = World(fates, seed, patience=patience)
    world.run(in_flight, workers, capacity, CONTROLS[control])
    assert sorted(world.numbers) == list(range(len(fates)))
    assert world.most_under_way <= in_flight
    assert set(world.done.values()) <= {1}
    for item in world.committed:
        assert item.steps == ENDS[item.fate]
    for pool, name in zip(workers, NAMES, strict=True):
        assert world.most_at_work[name] <= pool.most
    for stage in world.figures:
        assert (stage.busy, stage.waiting) == (0, 0)
        assert stage.arrived == stage.done
        assert stage.done == (len(fates) if stage.name == "commit" else count(world, stage.name))
    for stage, pool in zip(world.figures, workers, strict=False):
        assert pool.least <= stage.workers <= pool.most


def count(world: World, stage: str) -> int:
    return sum(name == stage for _, name in world.done)


@settings(max_examples=100, deadline=None)
@given(st.lists(FATES, max_size=15), pools(), SEEDS)
def test_one_in_flight_commits_in_order_whatever_the_workers(
    fates: list[str], workers: tuple[Workers, ...], seed: int
) -> None:
    world = World(fates, seed)
    world.run(1, workers)
    assert world.numbers == list(range(len(fates)))


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(["source", *NAMES, "commit"]),
    st.integers(0, 9),
    st.sampled_from(HALTS),
    st.integers(1, 8),
    SEEDS,
)
def test_what_ends_a_run_in_any_stage_is_raised_as_it_is_and_loses_only_what_is_under_way(
    where: str, number: int, error: EvolithError, in_flight: int, seed: int
) -> None:
    world = World(["done"] * 10, seed, (where, number, error))
    with pytest.raises(type(error)) as raised:
        world.run(in_flight)
    assert raised.value is error
    numbers = sorted(world.numbers)
    assert numbers == sorted(set(numbers))
    assert set(numbers) >= set(range(number - in_flight + 1))
    assert max(numbers, default=-1) < number
    assert world.next <= number + in_flight
    assert set(world.done.values()) <= {1}


def test_an_item_that_cannot_be_decided_ends_the_run_with_what_was_raised() -> None:
    world = World(["done"] * 8, 0, ("commit", 3, ZeroDivisionError("a bug")))
    with pytest.raises(ZeroDivisionError, match="a bug"):
        world.run(2)
    assert set(world.numbers) <= {0, 1, 2}


def test_a_source_that_fails_ends_the_run_with_what_it_raised_once_all_is_decided() -> None:
    world = World(["done"] * 8, 0, ("source", 5, KeyError("a bug")))
    with pytest.raises(KeyError):
        world.run(3)
    assert sorted(world.numbers) == [0, 1, 2, 3, 4]


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 6), SEEDS)
def test_nothing_is_begun_any_more_once_the_run_is_at_its_end(in_flight: int, seed: int) -> None:
    class Undecided(World):
        asked_after_the_end = False

        async def source(self) -> Parcel | None:
            if self.next == len(self.fates) and not self.under_way:
                assert not self.asked_after_the_end
                self.asked_after_the_end = True
            return await super().source()

    world = Undecided(["done"] * 4, seed)
    world.run(in_flight)
    assert len(world.committed) == 4


def test_urgent_items_go_before_all_others_that_wait_for_a_stage() -> None:
    order: list[int] = []

    class Quick(World):
        async def pause(self, number: int, where: str) -> None:
            if where == "two":
                order.append(number)
                await anyio.sleep(1.0)

    world = Quick(["done"] * 7, 0)  # 0, 3 and 6 are urgent
    world.run(7, [Workers(7, 7), Workers(1, 1), Workers(7, 7)], capacity=7)
    assert order == [0, 3, 6, 1, 2, 4, 5]
    assert world.numbers == order


def test_a_place_is_given_back_as_soon_as_an_item_is_decided_and_not_before() -> None:
    begun: list[tuple[int, int]] = []

    class Noting(World):
        async def source(self) -> Parcel | None:
            begun.append((self.next, len(self.committed)))
            return await super().source()

    Noting(["done"] * 12, 3).run(4)
    assert all(number < decided + 4 for number, decided in begun if number < 12)
    assert max(number - decided for number, decided in begun if number < 12) == 3


def test_pi_moves_workers_to_the_stage_that_is_behind_and_takes_them_from_idle_ones() -> None:
    sizes: list[tuple[int, ...]] = []

    class Uneven(World):
        async def pause(self, number: int, where: str) -> None:
            sizes.append(tuple(stage.workers for stage in self.pulse.read()[:-1]))
            await anyio.sleep({"two": 8.0, "source": 0.0, "commit": 0.0}.get(where, 1.0))

    world = Uneven(["done"] * 120, 0)
    bounds = [Workers(1, 8), Workers(1, 8, start=2), Workers(1, 8)]
    world.run(12, bounds, 12, CONTROLS["pi"])
    assert sorted(world.numbers) == list(range(120))
    one, two, three = sizes[len(sizes) // 2]
    assert two == 8  # eight times as slow as the others
    assert one < 4
    assert three < 4


def test_figures_say_how_long_a_stage_was_idle_and_how_long_its_items_waited() -> None:
    class Clockwork(World):
        async def pause(self, number: int, where: str) -> None:
            await anyio.sleep({"one": 1.0, "two": 3.0}.get(where, 0.0))

    world = Clockwork(["done"] * 3, 0)
    world.run(3, [Workers(3, 3), Workers(1, 1), Workers(1, 1)], 3)
    one, two, three, commit = world.figures
    assert [one.worked, one.idle] == pytest.approx([3, 9])
    assert [two.worked, two.waited, two.idle] == pytest.approx([9, 9, 1])
    assert [two.longest, two.wait_p50, two.wait_p99] == pytest.approx([3, 3, 6])
    assert [three.done, commit.done, commit.waited] == pytest.approx([3, 3, 0])

"""The pipeline under seeded interleavings: nothing is lost, done twice, or out of bounds."""

from dataclasses import dataclass, field, replace

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.core.ids import rng_for
from evolith.engine.pipeline import drive
from evolith.engine.stage import Stage, Workers
from evolith.errors import ArchiveError, BudgetExceeded

FATES = st.sampled_from(["done", "done", "done", "settled", "raises"])


@dataclass(frozen=True)
class Parcel:
    number: int
    fate: str
    steps: tuple[str, ...] = ()
    over: bool = False


@dataclass
class World:
    """Parcels that take a random number of turns of the loop in every stage."""

    fates: list[str]
    seed: int
    halt_at: int | None = None
    next: int = 0
    under_way: int = 0
    most_under_way: int = 0
    committing: int = 0
    committed: list[Parcel] = field(default_factory=list)

    async def source(self) -> Parcel | None:
        if self.next == len(self.fates):
            return None
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        self.next += 1
        return Parcel(self.next - 1, self.fates[self.next - 1])

    def urgent(self, item: Parcel) -> bool:
        return item.number % 3 == 0

    def settled(self, item: Parcel) -> bool:
        return item.over

    def failed(self, item: Parcel, error: Exception) -> Parcel:
        return replace(item, over=True, steps=(*item.steps, str(error)))

    async def commit(self, item: Parcel) -> None:
        self.committing += 1
        assert self.committing == 1
        await self.pause(item, "commit")
        self.committing -= 1
        self.under_way -= 1
        self.committed.append(item)

    async def pause(self, item: Parcel, where: str) -> None:
        for _ in range(rng_for(self.seed, item.number, where).randrange(6)):
            await anyio.lowlevel.checkpoint()

    def stage(self, name: str, workers: int, *, breaks: bool = False) -> Stage[Parcel]:
        async def work(item: Parcel) -> Parcel:
            await self.pause(item, name)
            if breaks and self.halt_at is not None and item.number >= self.halt_at:
                raise BudgetExceeded("used up")
            if breaks and item.fate == "raises":
                raise ValueError("boom")
            over = breaks and item.fate == "settled"
            return replace(item, steps=(*item.steps, name), over=over)

        return Stage(name, work, Workers(1, workers), workers)

    def run(self, in_flight: int, workers: int) -> None:
        stages = [self.stage("one", workers), self.stage("two", workers, breaks=True)]
        anyio.run(drive, self, [*stages, self.stage("three", workers)], in_flight)


@given(st.lists(FATES, max_size=25), st.integers(1, 8), st.integers(1, 4), st.integers(0, 50))
def test_every_item_is_committed_once_by_one_committer_within_its_places(
    fates: list[str], in_flight: int, workers: int, seed: int
) -> None:
    world = World(fates, seed)
    world.run(in_flight, workers)
    assert sorted(item.number for item in world.committed) == list(range(len(fates)))
    assert world.most_under_way <= in_flight
    for item in world.committed:
        expected = {
            "done": ("one", "two", "three"),
            "settled": ("one", "two"),
            "raises": ("one", "boom"),
        }
        assert item.steps == expected[item.fate]


@given(st.lists(FATES, max_size=15), st.integers(1, 4), st.integers(0, 20))
def test_one_in_flight_commits_in_order_whatever_the_workers(
    fates: list[str], workers: int, seed: int
) -> None:
    world = World(fates, seed)
    world.run(1, workers)
    assert [item.number for item in world.committed] == list(range(len(fates)))


@given(st.integers(0, 9), st.integers(1, 8), st.integers(0, 50))
def test_the_end_of_a_budget_loses_only_what_is_under_way(
    halt_at: int, in_flight: int, seed: int
) -> None:
    world = World(["done"] * 10, seed, halt_at)
    with pytest.raises(BudgetExceeded):
        world.run(in_flight, 2)
    numbers = sorted(item.number for item in world.committed)
    assert numbers == list(range(halt_at))


def test_an_archive_that_cannot_be_written_ends_the_run() -> None:
    class Full(World):
        async def commit(self, item: Parcel) -> None:
            raise ArchiveError("the disk is full")

    with pytest.raises(ArchiveError, match="the disk is full"):
        Full(["done"] * 5, 0).run(2, 2)

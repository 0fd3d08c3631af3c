"""How the stages stand, written down while a run works."""

from collections.abc import Sequence

import anyio

from evolith.archive.archive import Archive
from evolith.archive.state import Entry
from evolith.engine.pipeline import Pulse, drive
from evolith.engine.stage import Stage
from evolith.errors import ArchiveError
from evolith.session.heart import Heart
from evolith.simulate.clock import run_virtual
from evolith.testing.memory import MemoryStore
from tests.sim.toy import Toy

ASYNC = {"run.schedule": "async", "algorithm.proposals": 12}


class Full(MemoryStore):
    """A store on a full disk."""

    async def append(self, entries: Sequence[Entry], blobs: Sequence[str] = ()) -> None:
        raise ArchiveError("the disk is full")


class Numbers:
    """A journey of ten numbers."""

    def __init__(self) -> None:
        self.left = list(range(10))

    async def source(self) -> int | None:
        return self.left.pop() if self.left else None

    def urgent(self, item: int) -> bool:
        return item < 0

    def settled(self, item: int) -> bool:
        return item < 0

    def failed(self, item: int, error: Exception) -> int:
        raise error

    async def commit(self, item: int) -> None:
        """Decide nothing."""


def test_an_asynchronous_run_is_written_down_every_few_seconds_and_at_its_end() -> None:
    toy = Toy(ASYNC)
    toy.run()
    pulses = toy.state.overlap.pulses
    assert [pulse.beat for pulse in pulses] == list(range(1, len(pulses) + 1))
    assert len(pulses) > 2
    assert [pulse.seconds for pulse in pulses] == sorted(pulse.seconds for pulse in pulses)
    names = ["rollout", "propose", "check", "repair", "evaluate", "commit"]
    assert all([stage.name for stage in pulse.stages] == names for pulse in pulses)
    commit = pulses[-1].stages[-1]
    assert (commit.done, commit.waiting, commit.busy) == (12, 0, 0)


def test_each_session_counts_its_own_beats() -> None:
    toy = Toy(ASYNC)
    toy.run(kill_at=8.0)
    toy.run()
    beats = [(pulse.number, pulse.beat) for pulse in toy.state.overlap.pulses]
    assert {number for number, _ in beats} == {1, 2}
    assert len(set(beats)) == len(beats)


def test_a_synchronous_run_has_no_pulse() -> None:
    toy = Toy({"algorithm.proposals": 3})
    toy.run()
    assert toy.state.overlap.pulses == []


def test_a_pulse_that_cannot_be_written_does_not_end_the_work() -> None:
    async def session() -> None:
        heart = Heart(Archive(Full(), anyio.current_time), 1)

        async def work(item: int) -> int:
            await anyio.sleep(3)
            return item

        async with anyio.create_task_group() as group:
            group.start_soon(heart.beat)
            await drive(Numbers(), [Stage("work", work)], 1, None, heart.pulse)
            group.cancel_scope.cancel()
        assert heart.pulse.read()[0].done == 10

    run_virtual(session)


def test_nothing_is_written_before_there_are_stages() -> None:
    store = MemoryStore()
    anyio.run(Heart(Archive(store, lambda: 0.0), 1, Pulse()).last)
    assert list(store.entries()) == []

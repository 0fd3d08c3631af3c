"""Drive a recorded run again from its recording: no model is called, the archive must be equal."""

import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from evolith.algorithms.evolution import Evolution
from evolith.archive.archive import Archive
from evolith.archive.sql import SqlStore
from evolith.core.events import SessionStarted
from evolith.engine.pipeline import HALTING
from evolith.errors import RunStopped
from evolith.operators.proposal import Proposal
from evolith.session.setup import (
    Parts,
    assemble,
    check_basis,
    dump_settings,
    fingerprint,
    gather,
    load_settings,
)
from evolith.session.work import Work


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay showed.

    Args:
        calls: Calls that were made to models; always 0.
        recorded: Archive hash of the recording.
        replayed: Archive hash of the replay.
    """

    calls: int
    recorded: str
    replayed: str

    @property
    def same(self) -> bool:
        """Whether both archives are equal."""
        return self.recorded == self.replayed


async def replay(run_dir: Path, into: Path) -> Replayed:
    """Repeat every step of a run in the recorded order of decisions, with the recorded answers.

    Args:
        run_dir: The recording.
        into: A new folder for the replayed run.

    Raises:
        UsageError: the settings or task files have changed since.
        ArchiveError: a folder cannot be used.
    """
    recording = Archive(SqlStore.read(run_dir), time.time)
    store = SqlStore.create(into)
    try:
        config = load_settings(recording)
        unbounded = config.model_copy(update={"budget": config.budget.model_copy(update=NO_LIMITS)})
        archive = Archive(store, time.time)
        parts = assemble(gather(unbounded, models=False), archive, source=recording)
        check_basis(parts, recording)
        await archive.append(
            SessionStarted(
                number=1,
                version=version("evolith"),
                settings=dump_settings(unbounded),
                fingerprint=fingerprint(),
            )
        )
        await _repeat(parts, recording)
        return Replayed(parts.gateway.asked, recording.store.hash(), store.hash())
    finally:
        store.close()
        recording.store.close()


NO_LIMITS = dict.fromkeys(("tokens", "money", "rollouts", "seconds"))


async def _repeat(parts: Parts, recording: Archive) -> None:
    work = Work(parts, parts.config.budget.budget())
    try:
        await work.begin()
        await work.seed()
        await _proposals(parts.evolution, recording)
        if recording.state.tests:
            await work.test()
    except RunStopped:
        return  # the recording ends here


async def _proposals(evolution: Evolution, recording: Archive) -> None:
    """Select and decide in the recorded order; what the recording left undecided comes last."""
    state = evolution.archive.state
    selected = sorted(recording.state.selected.values(), key=lambda s: s.ordinal)
    begun: dict[str, Proposal] = {}
    decided = [item for item in recording.state.decided if item in recording.state.selected]
    left = [s.item for s in selected if s.item not in recording.state.decided]
    for item in [*decided, *left]:
        while len(begun) < len(selected) and selected[len(begun)].commits <= state.commits:
            proposal = await evolution.source()
            if proposal is None:
                return
            begun[proposal.item] = proposal
        if item in begun:
            await _advance(evolution, begun[item], commit=item in decided)


async def _advance(evolution: Evolution, proposal: Proposal, *, commit: bool) -> None:
    for stage in evolution.stages(1):
        if evolution.settled(proposal):
            break
        try:
            proposal = await stage.work(proposal)
        except HALTING:
            return
        except Exception as error:  # noqa: BLE001 - an item's failure is data
            proposal = evolution.failed(proposal, error)
    if commit:
        await evolution.commit(proposal)

"""Drive a recorded run again from its recording: no model is called, the archive must be equal."""

import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from evolith.archive.archive import Archive
from evolith.archive.sql import SqlStore
from evolith.core.events import SessionStarted
from evolith.session.project import require
from evolith.session.repeat import Repeat
from evolith.session.setup import (
    assemble,
    check_basis,
    dump_settings,
    fingerprint,
    gather,
    load_settings,
)
from evolith.session.terms import Terms


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


async def replay(run_dir: Path, into: Path, *, base: Path | None = None) -> Replayed:
    """Repeat every step of a run in the recorded order of decisions, with the recorded answers.

    Args:
        run_dir: The recording.
        into: A new folder for the replayed run.
        base: Where the project is now, unless it is found.

    Raises:
        UsageError: the settings or task files have changed since.
        ArchiveError: a folder cannot be used.
    """
    recording = Archive(SqlStore.read(run_dir), time.time)
    store = SqlStore.create(into)
    try:
        config = Terms(base=base).of(load_settings(recording, run_dir))
        require(config)
        unbounded = config.model_copy(update={"budget": config.budget.model_copy(update=NO_LIMITS)})
        archive = Archive(store, time.time)
        parts = assemble(gather(unbounded, models=False), archive, source=recording)
        check_basis(parts, recording)
        await archive.append(
            SessionStarted(
                number=1,
                version=version("evolith"),
                settings=dump_settings(unbounded, into),
                fingerprint=fingerprint(),
            )
        )
        await Repeat(parts, recording).run()
        return Replayed(parts.gateway.asked, recording.store.hash(), store.hash())
    finally:
        store.close()
        recording.store.close()


NO_LIMITS = dict.fromkeys(("tokens", "money", "rollouts", "seconds"))

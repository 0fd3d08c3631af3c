"""Records how the stages stand while an asynchronous run works, for status and reports."""

from contextlib import suppress
from dataclasses import asdict, dataclass, field

import anyio

from evolith.archive.archive import Archive
from evolith.core.overlap import Pulsed, StagePulse
from evolith.engine.pipeline import Pulse
from evolith.errors import ArchiveError

FIRST = 2.0
"""Seconds between the first beats."""
SLOWER = 1.02
"""Each pause is longer than the last by this factor, so that a long run has few hundred beats."""


@dataclass(slots=True)
class Heart:
    """Writes a pulse every few seconds.

    Args:
        archive: Where it is written.
        session: Number of the session.
    """

    archive: Archive
    session: int
    pulse: Pulse = field(default_factory=Pulse)
    _beats: int = 0

    async def beat(self) -> None:
        """Go on for as long as the search does; cancelled at its end."""
        pause = FIRST
        while True:
            await anyio.sleep(pause)
            await self.last()
            pause *= SLOWER

    async def last(self) -> None:
        """Write one pulse now."""
        figures = self.pulse.read()
        if not figures:
            return
        self._beats += 1
        stages = []
        for stage in figures:
            fields = asdict(stage)
            del fields["seconds"]
            stages.append(StagePulse(**fields))
        pulsed = Pulsed(
            number=self.session,
            beat=self._beats,
            seconds=figures[0].seconds,
            stages=tuple(stages),
        )
        with suppress(ArchiveError):  # the work itself will meet it, and tells of it
            await self.archive.append(pulsed)

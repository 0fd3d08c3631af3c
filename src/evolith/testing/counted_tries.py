"""Counts the tries of calls, for tests of what asks a model without a run around it."""

from dataclasses import dataclass

import anyio.lowlevel


@dataclass(slots=True)
class CountedTries:
    """Stands where an account hears of tries.

    Args:
        reserved: Further tries that were allowed.
        sent: Tries that were sent.
        lost: Tries that failed and may have been billed.
        spared: Tries that failed and were not.
    """

    reserved: int = 0
    sent: int = 0
    lost: int = 0
    spared: int = 0

    async def reserve(self) -> None:
        """Allow another try."""
        await anyio.lowlevel.checkpoint()
        self.reserved += 1

    async def send(self) -> None:
        """Count a try."""
        await anyio.lowlevel.checkpoint()
        self.sent += 1

    async def lose(self) -> None:
        """Count a try that may have been billed."""
        await anyio.lowlevel.checkpoint()
        self.lost += 1

    async def spare(self) -> None:
        """Count a try that was not billed."""
        await anyio.lowlevel.checkpoint()
        self.spared += 1

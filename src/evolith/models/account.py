"""What one model call costs: each try is reserved at its worst, and charged when it has ended."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import anyio

from evolith.archive.archive import Archive
from evolith.archive.store import Pending
from evolith.core.budget import Amount
from evolith.core.events import AnyEvent, CallLost
from evolith.errors import ArchiveError
from evolith.models.ledger import Ledger


@dataclass(slots=True)
class Account:
    """Accounts for the tries of one call, so that a process that dies leaves none unpaid.

    Args:
        archive: Where what is charged is recorded.
        ledger: What may still be spent.
        worst: The most that one try can cost.
        remote: Whether a try may be billed although this process dies or gives it up.
        session: Number of the session.
        ordinals: Counts the lost tries of the session.
    """

    archive: Archive
    ledger: Ledger
    worst: Pending
    remote: bool
    session: int
    ordinals: Iterator[int]
    _held: Amount = field(default_factory=Amount)
    _under_way: bool = False

    async def reserve(self) -> None:
        """Set the worst case of a try aside.

        Raises:
            RunStopped: the budget does not hold it, or the run is being stopped.
        """
        amount = amount_of(self.worst)
        await self.ledger.reserve(amount)
        self._held = amount

    async def send(self) -> None:
        """Mark the call as under way, where it may be billed without an answer."""
        if self.remote:
            self._under_way = True  # from here on also if this is cancelled before it is written
            await self.archive.store.send(self.worst)

    async def lose(self) -> None:
        """Charge a try that gave no answer and may have been billed."""
        await self.archive.append(lost(self.worst, self.session, next(self.ordinals)))
        self._under_way = False
        self._settle(amount_of(self.worst))

    async def spare(self) -> None:
        """Charge nothing for a try that was not billed. The reservation stays for the next."""
        if self._under_way:
            await self.archive.store.forget([self.worst.call])
            self._under_way = False

    async def end(
        self, events: Sequence[AnyEvent], blobs: Sequence[str], seconds: float, actual: Amount
    ) -> None:
        """Record how the call ended, and charge the last try."""
        await self.archive.append(*events, blobs=blobs, seconds=seconds)
        self._under_way = False
        self._settle(actual)

    async def close(self) -> None:
        """Charge a try that was given up, and free what is still reserved."""
        try:
            if self._under_way:
                # Where nothing can be written, the mark stays and a later session charges it.
                with anyio.CancelScope(shield=True), suppress(ArchiveError):
                    await self.lose()
        finally:
            self._settle(Amount())

    def _settle(self, actual: Amount) -> None:
        held, self._held = self._held, Amount()
        if held != actual or held != Amount():
            self.ledger.settle(held, actual)


def amount_of(pending: Pending) -> Amount:
    """Return what a call costs at its worst."""
    return Amount(pending.tokens_in, pending.tokens_out, pending.money, 0, 1)


def lost(pending: Pending, session: int, ordinal: int = 0) -> CallLost:
    """Return the event that charges a try without an answer.

    Args:
        pending: The call with its worst case.
        session: Number of the session that found it.
        ordinal: Which of the tries that this session lost; 0 for those of a killed process.
    """
    return CallLost(
        call=pending.call,
        number=session,
        ordinal=ordinal,
        role=pending.role,
        model=pending.model,
        tokens_in=pending.tokens_in,
        tokens_out=pending.tokens_out,
        money=pending.money,
    )

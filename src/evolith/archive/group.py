"""Writes that become one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from evolith.archive.rows import BlobRow, EventRow, PendingRow, blob_row
from evolith.errors import ArchiveError


@dataclass(frozen=True, slots=True)
class Write:
    """What is written together or not at all."""

    events: Sequence[EventRow] = ()
    blobs: Sequence[str] = ()
    sent: Sequence[PendingRow] = ()
    ended: Sequence[str] = ()
    """Calls that are not under way any more."""


@dataclass(slots=True)
class Group:
    """The writes of one transaction, added up."""

    known: dict[str, str]
    """Digests by key, of what is stored and of what is added."""
    events: list[EventRow] = field(default_factory=list)
    blobs: dict[str, BlobRow] = field(default_factory=dict)
    calls: dict[str, PendingRow | None] = field(default_factory=dict)

    def add(self, write: Write) -> None:
        """Add a write.

        Raises:
            ArchiveError: a key has another content already; nothing of the write is added.
        """
        fresh: dict[str, EventRow] = {}
        for row in write.events:
            recorded = self.known.get(row.key) or fresh.setdefault(row.key, row).digest
            if recorded != row.digest:
                raise ArchiveError(
                    f"{row.key} is recorded already, with another content",
                    fix="report this: one thing happened twice, differently",
                )
        self.events += fresh.values()
        self.known.update((row.key, row.digest) for row in fresh.values())
        self.blobs.update((row.sha256, row) for row in map(blob_row, write.blobs))
        self.calls.update((row.call, row) for row in write.sent)
        self.calls.update(dict.fromkeys(write.ended))

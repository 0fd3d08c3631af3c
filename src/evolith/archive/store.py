"""Where a run's events and blobs are kept: the protocol of a store."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from evolith.archive.contention import Contention
from evolith.archive.state import Entry
from evolith.core.events import AnyEvent
from evolith.core.ids import canonical_json, content_hash
from evolith.core.messages import Role


@dataclass(frozen=True, slots=True)
class Pending:
    """A model call that is about to be sent: its worst case, in case the process dies."""

    call: str
    role: Role
    model: str
    tokens_in: int
    tokens_out: int
    money: Decimal


class Store(Protocol):
    """An append-only log of events with content-addressed blobs.

    **One writer.** A store is opened for writing by one process at a time; a second one is
    refused. Any number of processes may read.
    **Durable before acknowledged.** When `append` returns, a crash of the process or the machine
    does not lose the events. Events of one call are written together or not at all.
    **Idempotent.** Appending an event whose key is there already with the same content does
    nothing; with another content it raises, since then something happened twice differently.
    **Blobs.** A text is stored once under its SHA-256 and checked against it when read.
    """

    async def append(self, entries: Sequence[Entry], blobs: Sequence[str] = ()) -> None:
        """Write events with the blobs that they name; one that ends a call removes its mark.

        Raises:
            ArchiveError: the disk is full, the folder is read-only, or a key has other content.
        """
        ...

    async def send(self, pending: Pending) -> None:
        """Mark a call as under way, durably, before it is sent.

        Raises:
            ArchiveError: as `append`.
        """
        ...

    def pending(self) -> list[Pending]:
        """Return the calls that were under way when an earlier process died."""
        ...

    async def forget(self, calls: Sequence[str]) -> None:
        """Remove the pending marks of calls that nobody is charged for."""
        ...

    def entries(self) -> Iterator[Entry]:
        """Yield every event in the order of writing.

        Raises:
            ArchiveError: an event cannot be read; naming it.
        """
        ...

    def keys(self) -> Iterator[str]:
        """Yield the key of every event, in any order."""
        ...

    def find(self, key: str) -> Entry | None:
        """Return the event with that key, or None."""
        ...

    def blob(self, digest: str) -> str:
        """Return the text with that SHA-256.

        Raises:
            ArchiveError: there is none, or it does not have that hash any more.
        """
        ...

    def hash(self) -> str:
        """Return the archive hash: SHA-256 over key and content of all content events by key."""
        ...

    def contention(self) -> Contention:
        """Return how much writes have waited for each other so far."""
        ...

    def close(self) -> None:
        """Write what is queued and release the lock."""
        ...


def content(event: AnyEvent) -> str:
    """Return the canonical JSON of an event: what is stored, compared and hashed."""
    return canonical_json(event.model_dump(mode="json"))


def archive_hash(events: Iterable[AnyEvent]) -> str:
    """Return SHA-256 over key and content of all content events, in the order of their keys.

    Time, durations and the order of writing do not matter, so that a run gives the same hash with
    any number of workers, interrupted or not.
    """
    return hash_of_digests(
        (event.key, content_hash(content(event))) for event in events if not event.session
    )


def hash_of_digests(digests: Iterable[tuple[str, str]]) -> str:
    """Return the archive hash of content events given as key and SHA-256 of the content."""
    return content_hash("\n".join(sorted(f"{key} {digest}" for key, digest in digests)))

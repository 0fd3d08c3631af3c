"""A store in memory, for tests and simulations. It keeps the contract of `Store`."""

from collections.abc import Iterator, Sequence

from evolith.archive.contention import Contention
from evolith.archive.state import Entry
from evolith.archive.store import Pending, archive_hash, content
from evolith.core.ids import content_hash
from evolith.errors import ArchiveError


class MemoryStore:
    """Events and blobs in dicts. Nothing survives the process."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._blobs: dict[str, str] = {}
        self._pending: dict[str, Pending] = {}

    async def append(self, entries: Sequence[Entry], blobs: Sequence[str] = ()) -> None:
        """Keep events with their blobs."""
        fresh: dict[str, Entry] = {}
        for entry in entries:
            key = entry.event.key
            old = self._entries.get(key) or fresh.setdefault(key, entry)
            if content(old.event) != content(entry.event):
                raise ArchiveError(
                    f"{key} is recorded already, with another content",
                    fix="report this: one thing happened twice, differently",
                )
        self._entries.update(fresh)
        self._blobs.update({content_hash(text): text for text in blobs})
        for entry in entries:
            if entry.event.ends is not None:
                self._pending.pop(entry.event.ends, None)

    async def send(self, pending: Pending) -> None:
        """Mark a call as under way."""
        self._pending[pending.call] = pending

    def pending(self) -> list[Pending]:
        """Return the calls under way."""
        return list(self._pending.values())

    async def forget(self, calls: Sequence[str]) -> None:
        """Remove the pending marks of calls that nobody is charged for."""
        for call in calls:
            self._pending.pop(call, None)

    def entries(self) -> Iterator[Entry]:
        """Yield the events in the order of writing."""
        return iter(list(self._entries.values()))

    def keys(self) -> Iterator[str]:
        """Yield the key of every event."""
        return iter(list(self._entries))

    def find(self, key: str) -> Entry | None:
        """Return the event with that key, or None."""
        return self._entries.get(key)

    def blob(self, digest: str) -> str:
        """Return the text with that SHA-256."""
        if digest not in self._blobs:
            raise ArchiveError(f"there is no blob {digest}", fix="restore the archive from a copy")
        return self._blobs[digest]

    def hash(self) -> str:
        """Return the archive hash."""
        return archive_hash(entry.event for entry in self.entries())

    def contention(self) -> Contention:
        """Return that nothing has waited."""
        return Contention()

    def close(self) -> None:
        """Do nothing."""

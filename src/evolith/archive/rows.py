"""Events, blobs and pending calls as rows of the database, and back with every byte checked."""

import json
import zlib
from hashlib import sha256
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from evolith.archive.state import Entry
from evolith.archive.store import Pending, content
from evolith.core.events import EVENTS, AnyEvent
from evolith.errors import ArchiveError

PACK_FROM = 512
"""Bytes of a blob from which compressing it is tried."""
RESTORE = "restore the run folder from a copy"


class EventRow(NamedTuple):
    """A row of table `event` without its number."""

    key: str
    kind: str
    body: bytes
    digest: str
    at: float
    seconds: float
    crc: int


class BlobRow(NamedTuple):
    """A row of table `blob`."""

    sha256: str
    packed: bool
    body: bytes


class PendingRow(NamedTuple):
    """A row of table `pending`."""

    call: str
    body: bytes
    digest: str


_PENDING = TypeAdapter(Pending)


def storable(key: str) -> str:
    """Return `key` when the database can hold it.

    Raises:
        UnicodeEncodeError: it holds half a character (a lone surrogate).
    """
    key.encode()
    return key


def event_row(entry: Entry) -> EventRow:
    """Return the row of an event.

    Raises:
        UnicodeEncodeError: its key is not storable.
    """
    key, kind = storable(entry.event.key), entry.event.kind
    body = content(entry.event).encode("utf-8", "surrogatepass")
    digest = sha256(body).hexdigest()
    at, seconds = float(entry.at), float(entry.seconds)
    return EventRow(key, kind, body, digest, at, seconds, _crc(key, kind, digest, at, seconds))


def entry_of(row: EventRow) -> Entry:
    """Return the event of a row.

    Raises:
        ArchiveError: the row is not what was written, or no event that this version knows.
    """
    key, kind, body, digest, at, seconds, crc = row
    if _crc(key, kind, digest, at, seconds) != crc or not _has_hash(body, digest):
        raise _changed(key)
    event = _event_of(key, body)
    if event.key != key:
        raise ArchiveError(f"it tells of {event.key}", where=f"event {key}", fix=RESTORE)
    return Entry(event, at, seconds)


def _event_of(key: str, body: bytes) -> AnyEvent:
    try:
        try:
            return EVENTS.validate_json(body)
        except ValidationError:  # half a character, which only Python's own parser lets pass
            return EVENTS.validate_python(json.loads(body.decode("utf-8", "surrogatepass")))
    except ValueError as error:
        raise ArchiveError(
            "it is no event that this version of Evolith knows", where=f"event {key}", fix=RESTORE
        ) from error


def _changed(key: str) -> ArchiveError:
    return ArchiveError("it was changed after it was written", where=f"event {key}", fix=RESTORE)


def blob_row(text: str) -> BlobRow:
    """Return the row of a blob, compressed where that makes it smaller."""
    raw = text.encode("utf-8", "surrogatepass")
    body = zlib.compress(raw, 1) if len(raw) >= PACK_FROM else raw
    packed = len(body) < len(raw)
    return BlobRow(sha256(raw).hexdigest(), packed, body if packed else raw)


def text_of(row: BlobRow) -> str:
    """Return the text of a blob.

    Raises:
        ArchiveError: it does not have its hash any more.
    """
    digest, packed, body = row
    raw = body
    try:
        if packed:
            raw = zlib.decompress(body)
    except (zlib.error, TypeError):
        raw = b""
    if not _has_hash(raw, digest):
        raise ArchiveError(
            "it does not have its hash any more", where=f"blob {digest}", fix=RESTORE
        )
    return str(raw, "utf-8", "surrogatepass")


def pending_row(pending: Pending) -> PendingRow:
    """Return the row of a call under way.

    Raises:
        UnicodeEncodeError: its key is not storable.
    """
    call = storable(pending.call)
    body = _PENDING.dump_json(pending)
    return PendingRow(call, body, sha256(body).hexdigest())


def pending_of(row: PendingRow) -> Pending:
    """Return the call under way of a row.

    Raises:
        ArchiveError: the row is not what was written.
    """
    call, body, digest = row
    if not _has_hash(body, digest):
        where = f"pending call {call}"
        raise ArchiveError("it was changed after it was written", where=where, fix=RESTORE)
    return _PENDING.validate_json(body)


def _crc(*columns: object) -> int:
    return zlib.crc32(repr(columns).encode("utf-8", "surrogatepass"))


def _has_hash(raw: object, digest: str) -> bool:
    return isinstance(raw, bytes) and sha256(raw).hexdigest() == digest

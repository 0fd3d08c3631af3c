"""Events, blobs and pending calls as rows of the database, and back with every byte checked."""

import json
import zlib
from hashlib import sha256
from typing import TypedDict

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import RowMapping

from evolith.archive.state import Entry
from evolith.archive.store import Pending, content
from evolith.core.events import EVENTS
from evolith.errors import ArchiveError

PACK_FROM = 512
"""Bytes of a blob from which compressing it is tried."""
RESTORE = "restore the run folder from a copy"


class EventRow(TypedDict):
    """A row of table `event` without its number."""

    key: str
    kind: str
    body: bytes
    digest: str
    at: float
    seconds: float
    crc: int


class BlobRow(TypedDict):
    """A row of table `blob`."""

    sha256: str
    packed: bool
    body: bytes


class PendingRow(TypedDict):
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
    crc = _crc(key, kind, digest, at, seconds)
    return EventRow(key=key, kind=kind, body=body, digest=digest, at=at, seconds=seconds, crc=crc)


def entry_of(row: RowMapping) -> Entry:
    """Return the event of a row.

    Raises:
        ArchiveError: the row is not what was written, or no event that this version knows.
    """
    where = f"event {row['key']}"
    body, at, seconds = row["body"], row["at"], row["seconds"]
    crc = _crc(row["key"], row["kind"], row["digest"], at, seconds)
    if crc != row["crc"] or not _has_hash(body, row["digest"]):
        raise ArchiveError("it was changed after it was written", where=where, fix=RESTORE)
    try:
        event = EVENTS.validate_python(json.loads(body.decode("utf-8", "surrogatepass")))
    except (ValueError, ValidationError) as error:
        raise ArchiveError(
            "it is no event that this version of Evolith knows", where=where, fix=RESTORE
        ) from error
    if event.key != row["key"]:
        raise ArchiveError(f"it tells of {event.key}", where=where, fix=RESTORE)
    return Entry(event, at, seconds)


def blob_row(text: str) -> BlobRow:
    """Return the row of a blob, compressed where that makes it smaller."""
    raw = text.encode("utf-8", "surrogatepass")
    body = zlib.compress(raw, 1) if len(raw) >= PACK_FROM else raw
    packed = len(body) < len(raw)
    return BlobRow(sha256=sha256(raw).hexdigest(), packed=packed, body=body if packed else raw)


def text_of(row: RowMapping) -> str:
    """Return the text of a blob.

    Raises:
        ArchiveError: it does not have its hash any more.
    """
    raw = row["body"]
    try:
        if row["packed"]:
            raw = zlib.decompress(raw)
    except (zlib.error, TypeError):
        raw = None
    if not _has_hash(raw, row["sha256"]):
        raise ArchiveError(
            "it does not have its hash any more", where=f"blob {row['sha256']}", fix=RESTORE
        )
    return str(raw, "utf-8", "surrogatepass")


def pending_row(pending: Pending) -> PendingRow:
    """Return the row of a call under way.

    Raises:
        UnicodeEncodeError: its key is not storable.
    """
    call = storable(pending.call)
    body = _PENDING.dump_json(pending)
    return PendingRow(call=call, body=body, digest=sha256(body).hexdigest())


def pending_of(row: RowMapping) -> Pending:
    """Return the call under way of a row.

    Raises:
        ArchiveError: the row is not what was written.
    """
    where = f"pending call {row['call']}"
    if not _has_hash(row["body"], row["digest"]):
        raise ArchiveError("it was changed after it was written", where=where, fix=RESTORE)
    return _PENDING.validate_json(row["body"])


def _crc(*columns: object) -> int:
    return zlib.crc32(repr(columns).encode("utf-8", "surrogatepass"))


def _has_hash(raw: object, digest: str) -> bool:
    return isinstance(raw, bytes) and sha256(raw).hexdigest() == digest

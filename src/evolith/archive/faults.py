"""Errors of the database and of the disk, told so that the reader knows what to do."""

import errno
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from sqlalchemy.exc import DBAPIError, ResourceClosedError, SQLAlchemyError

from evolith.errors import ArchiveError

_SPACE = "free some space or raise the quota, then resume the run: nothing recorded is lost"
_RIGHTS = (
    "give this user the right to write there, or copy the folder to a place that can be written"
)
DAMAGED = "see with `evolith verify` what is broken, and restore the run folder from a copy"

_SQLITE: Mapping[int, tuple[str, str]] = MappingProxyType(
    {
        sqlite3.SQLITE_FULL: ("the disk is full", _SPACE),
        sqlite3.SQLITE_IOERR: (
            "the disk refuses to read or write: it is full, over its quota or faulty",
            _SPACE,
        ),
        sqlite3.SQLITE_READONLY: ("archive.db is read-only", _RIGHTS),
        sqlite3.SQLITE_PERM: ("archive.db is read-only", _RIGHTS),
        sqlite3.SQLITE_CANTOPEN: ("archive.db cannot be opened here", _RIGHTS),
        sqlite3.SQLITE_BUSY: ("another program holds archive.db", "close it, then try again"),
        sqlite3.SQLITE_LOCKED: ("another program holds archive.db", "close it, then try again"),
        sqlite3.SQLITE_CORRUPT: ("archive.db is damaged", DAMAGED),
        sqlite3.SQLITE_NOTADB: ("archive.db is damaged: it is no database", DAMAGED),
        sqlite3.SQLITE_ERROR: ("archive.db does not hold a run", "name the folder of a run"),
    }
)
"""By primary result code."""

_OS: Mapping[int, tuple[str, str]] = MappingProxyType(
    {
        errno.ENOSPC: ("the disk is full", _SPACE),
        errno.EDQUOT: ("the disk quota is used up", _SPACE),
        errno.EFBIG: ("a file may not grow any further", _SPACE),
        errno.EROFS: ("the run folder is read-only", _RIGHTS),
        errno.EACCES: ("the run folder is read-only", _RIGHTS),
        errno.EPERM: ("the run folder is read-only", _RIGHTS),
        errno.EEXIST: ("there is a file where the run folder should be", "choose another place"),
        errno.ENOTDIR: ("there is a file where the run folder should be", "choose another place"),
    }
)


@contextmanager
def teaching(run_dir: Path) -> Iterator[None]:
    """Raise whatever the database or the disk refuses as an `ArchiveError` about `run_dir`."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError, UnicodeError) as error:
        raise explain(error, run_dir) from error


def explain(error: Exception, run_dir: Path) -> ArchiveError:
    """Return what an error of the database or of the disk means, and what to do about it."""
    message, fix = _meaning(error)
    return ArchiveError(message, where=str(run_dir), fix=fix)


def _meaning(error: Exception) -> tuple[str, str]:
    cause = error.orig if isinstance(error, DBAPIError) else error
    match cause:
        case sqlite3.Error(sqlite_errorcode=int(code)) if code & 0xFF in _SQLITE:
            message, fix = _SQLITE[code & 0xFF]
            return f"{message} ({cause})", fix
        case OSError(errno=int(code), strerror=reason) if code in _OS:
            message, fix = _OS[code]
            return f"{message} ({reason})", fix
        case ResourceClosedError():
            return "the archive is closed", "open it again"
        case UnicodeEncodeError():
            return "a key holds half a character", "give the task an id of whole characters"
        case UnicodeDecodeError():  # of a message of SQLite that quotes what it cannot read
            return "archive.db is damaged", DAMAGED
    return f"the archive cannot be used: {type(cause).__name__}: {cause}", DAMAGED

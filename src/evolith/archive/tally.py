"""How many writes were acknowledged, kept beside the database.

SQLite takes a log file that was cut, or left out of a copy, for one that never was longer: it drops
the last transactions without a word. The number beside it tells.
"""

import os
from contextlib import suppress
from pathlib import Path

from evolith.errors import ArchiveError

FILE = "archive.tally"
_WIDTH = 20


class Tally:
    """The file with the number, open for writing. Overwritten in place, so it needs no space."""

    def __init__(self, run_dir: Path) -> None:
        self._file = os.open(run_dir / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def note(self, writes: int) -> None:
        """Note that so many writes are durable."""
        os.pwrite(self._file, f"{writes:0{_WIDTH}}\n".encode(), 0)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def acknowledged(run_dir: Path) -> int:
    """Return how many writes were acknowledged at least; 0 where the file is gone.

    Raises:
        ArchiveError: the file holds no number.
    """
    text = "0"
    with suppress(FileNotFoundError):
        text = (run_dir / FILE).read_text(encoding="latin-1").strip() or "0"
    if not (text.isascii() and text.isdigit()):
        raise ArchiveError(
            f"{FILE} holds no number", where=str(run_dir), fix=f"delete {FILE}, then try again"
        )
    return int(text)


def check_tail(run_dir: Path, noted: int, found: int) -> None:
    """Refuse a database that has lost the end of its log.

    Args:
        run_dir: The folder of the run.
        noted: What `acknowledged` said before the database was read.
        found: Writes in the database.

    Raises:
        ArchiveError: writes that were acknowledged are missing.
    """
    if found < noted:
        raise ArchiveError(
            f"the last {noted - found} acknowledged writes are missing: archive.db-wal was cut, or "
            "left out of a copy",
            where=str(run_dir),
            fix=f"restore the whole folder from a copy, or delete {FILE} to go on without them",
        )

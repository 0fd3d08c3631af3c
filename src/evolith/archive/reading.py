"""Opens a run for reading, while another process may be writing it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evolith.archive.archive import Archive
from evolith.archive.quick import quick_state
from evolith.archive.sql import SqlStore


@contextmanager
def reading(run_dir: Path, *, quickly: bool = False) -> Iterator[Archive]:
    """Open the archive of a run for reading.

    Args:
        run_dir: The folder of the run.
        quickly: Whether to do without the comparison of each event with its checksums. Of a
            changed figure then tells `evolith verify` alone.

    Raises:
        UsageError: there is none.
        ArchiveError: it is damaged.
    """
    store = SqlStore.read(run_dir)
    try:
        yield Archive(store, time.time, quick_state(store.pages()) if quickly else None)
    finally:
        store.close()

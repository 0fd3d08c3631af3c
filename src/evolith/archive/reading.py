"""Opens a run for reading, while another process may be writing it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evolith.archive.archive import Archive
from evolith.archive.sql import SqlStore


@contextmanager
def reading(run_dir: Path) -> Iterator[Archive]:
    """Open the archive of a run for reading.

    Args:
        run_dir: The folder of the run.

    Raises:
        ArchiveError: there is none, or it is damaged.
    """
    store = SqlStore.read(run_dir)
    try:
        yield Archive(store, time.time)
    finally:
        store.close()

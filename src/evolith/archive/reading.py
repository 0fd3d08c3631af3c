"""Opens a run for reading, while another process may be writing it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evolith.archive.archive import Archive
from evolith.archive.sql import SqlStore


@contextmanager
def reading(run_dir: Path, *, checked: bool = True) -> Iterator[Archive]:
    """Open the archive of a run for reading.

    Args:
        run_dir: The folder of the run.
        checked: Whether every event is compared with its checksums, which takes half of the time.
            Without it a damaged figure is told by `evolith verify` alone.

    Raises:
        UsageError: there is none.
        ArchiveError: it is damaged.
    """
    store = SqlStore.read(run_dir, checked=checked)
    try:
        yield Archive(store, time.time)
    finally:
        store.close()

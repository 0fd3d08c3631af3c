"""The lock of a run: one process writes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from evolith.errors import ArchiveError

FILE = "run.lock"


@contextmanager
def run_lock(run_dir: Path) -> Iterator[None]:
    """Hold the lock of a run; the system frees it when the process dies.

    Raises:
        ArchiveError: another process holds it.
    """
    path = run_dir / FILE
    holder = _holder(path)
    lock = FileLock(path, thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        raise ArchiveError(
            f"another process{holder} is at work on this run",
            where=str(run_dir),
            fix="wait until it has ended, or stop it, then try again",
        ) from error
    try:
        path.write_text(str(os.getpid()), encoding="ascii")
        yield
    finally:
        lock.release()


def _holder(path: Path) -> str:
    with suppress(OSError):
        pid = path.read_text(encoding="latin-1")
        if pid.isdigit():
            return f" ({pid})"
    return ""

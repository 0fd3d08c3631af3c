"""A process that appends to an archive as fast as it can, and says what was acknowledged.

Arguments: the run folder, and a name that makes the keys of this process its own.
"""

import sys
from pathlib import Path

import anyio

from evolith.archive.sql import SqlStore
from evolith.core.ids import content_hash
from evolith.testing.store_suite import CALL_BLOBS, call, pending

WORKERS = 8


async def work(store: SqlStore, name: str, worker: int) -> None:
    """Append for ever."""
    number = worker
    while True:
        text = f"{name} {number} " * (number % 100)
        await store.append([call(number, f"{name} {content_hash(text)}")], [text, *CALL_BLOBS])
        print(f"append {number} {content_hash(text)}", flush=True)  # noqa: T201 - told to the test
        await store.send(pending(f"call/{name}/{number}"))
        print(f"send call/{name}/{number}", flush=True)  # noqa: T201 - the same
        number += WORKERS


async def main(run_dir: Path, name: str, first: int) -> None:
    """Open or make the archive, then let workers write."""
    made = (run_dir / "archive.db").exists()
    store = SqlStore.open(run_dir) if made else SqlStore.create(run_dir)
    print("ready", flush=True)  # noqa: T201 - the same
    async with anyio.create_task_group() as group:
        for worker in range(WORKERS):
            group.start_soon(work, store, name, first + worker)


anyio.run(main, Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))

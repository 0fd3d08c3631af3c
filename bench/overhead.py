"""What Evolith itself costs: a run whose model answers at once, read back as a user reads it.

`python -m bench.overhead --rollouts 200000`. Nothing is asserted: the figures say something only
beside the machine, and the load, that they were taken on.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio

from evolith.archive.archive import Archive
from evolith.archive.state import Entry
from evolith.config import load_config
from evolith.session import start

TRAIN, VAL = 20, 200
"""Tasks; each proposal runs all of the validation tasks."""

CONFIG = """\
name = "overhead"

[tasks]
file = "tasks.jsonl"
split = {{ train = {train}, val = {val} }}

[artifact.files]
"prompt.md" = "Say on which shelf it belongs.\\n"

[models]
task = "function:world:answer"
reflect = "function:world:reflect"

[algorithm]
kind = "best_of_n"
proposals = {proposals}

[run]
schedule = "async"
in_flight = 4
workers = {workers}

[budget]
rollouts = {most}
"""

WORLD = '''\
"""Answers at once; right for about half of the pairs of prompt and task."""

from itertools import count
from zlib import crc32

NUMBERS = count(1)


async def answer(request):
    texts = (turn.content.encode() for turn in (request.messages[0], request.messages[-1]))
    return ("low", "high")[sum(map(crc32, texts)) % 2]


async def reflect(request):
    return f"```\\nShelf {next(NUMBERS)}: low or high?\\n```"
'''


def main() -> None:
    """Run, read back, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rollouts", type=int, default=20_000, help="about; in steps of 200")
    parser.add_argument("--workers", type=int, default=64, help="rollouts at once")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_project(folder, options.rollouts, options.workers)
        run(folder)
        for words in (["status"], ["report", "--html", str(folder / "report.html")], ["resume"]):
            command, before = (
                [sys.executable, "-m", "evolith", *words, str(folder / "run")],
                children(),
            )
            with timed() as took:
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - ours
            processor = children() - before
            print(f"{words[0]:<8} {took[0]:.2f} s, of which {processor:.2f} s on the processor")


def write_project(folder: Path, rollouts: int, workers: int) -> None:
    """Write a config, the tasks and the model."""
    proposals = max(1, rollouts // VAL - 1)  # the seed is run as well
    rows = [{"input": f"thing {number}", "answer": "low"} for number in range(TRAIN + VAL)]
    config = CONFIG.format(
        train=TRAIN, val=VAL, proposals=proposals, workers=workers, most=2 * rollouts + 2 * VAL
    )
    (folder / "evolith.toml").write_text(config, encoding="utf-8")
    (folder / "tasks.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "world.py").write_text(WORLD, encoding="utf-8")


def run(folder: Path) -> None:
    """Run the project in this process and print its speed, memory and contention."""
    config, archives = load_config(folder / "evolith.toml"), list[Archive]()

    def watch(archive: Archive, _: Entry) -> None:
        archives[:] = [archive]

    async def work() -> None:
        await start(config, folder / "run", watch=watch)

    before, processor = peak(), time.process_time()
    with timed() as took:
        anyio.run(work)
    processor = time.process_time() - processor
    done, found = archives[0].state.rollouts_done, archives[0].store.contention()
    print(f"rollouts {done:,} in {took[0]:.1f} s, of which {processor:.1f} s on the processor")
    print(f"a second {done / took[0]:,.0f}, of processor time {done / processor:,.0f}")
    print(f"memory   {peak():.0f} MB at most, {before:.0f} MB before the run")
    print(
        f"commits  {found.transactions:,} transactions of {found.mean_together:.1f} writes; a write"
        f" waited {1e3 * found.median:.1f} ms (median), {1e3 * found.p99:.1f} ms (p99)"
    )
    print(f"archive  {(folder / 'run/archive.db').stat().st_size / 1e6:.0f} MB")


@contextmanager
def timed() -> Iterator[list[float]]:
    """Give a list that holds the seconds that the block took, once it has ended."""
    took: list[float] = []
    begun = time.perf_counter()
    yield took
    took.append(time.perf_counter() - begun)


def children() -> float:
    """Return the seconds that ended child processes had of the processor."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak() -> float:
    """Return the most memory that this process has had, in MB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    main()

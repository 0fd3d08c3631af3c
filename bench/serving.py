"""Starts a server of the simulated models as a process of its own, and ends it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bench.race import MEAN, SIGMA, SLOTS
from evolith.simulate.world import Kind


@contextmanager
def serving(kind: Kind, seed: int, target: float) -> Iterator[str]:
    """Serve a world until the block ends; yield the address."""
    options = {"world": kind, "seed": seed, "mean": MEAN, "sigma": SIGMA, "slots": SLOTS}
    words = [f"--{name}={value}" for name, value in {**options, "target": target}.items()]
    process = subprocess.Popen(  # noqa: S603 - our own module, with our own words
        [sys.executable, "-m", "bench.server", *words], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()

"""How much writes wait for each other at the one writer."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

SAMPLE = 4096
"""Waits that are kept, drawn evenly from all."""


@dataclass(frozen=True, slots=True)
class Contention:
    """What waiting for the archive has cost so far.

    Args:
        queued: Writes that wait to be taken up now.
        most_together: The most writes that were taken up together.
        writes: Writes so far.
        transactions: Transactions so far, each durable before its writes were acknowledged.
        median: Seconds that a write waited until it was durable.
        p99: The same, for the slowest in a hundred.
        longest: The same, for the slowest of all.
    """

    queued: int = 0
    most_together: int = 0
    writes: int = 0
    transactions: int = 0
    median: float = 0.0
    p99: float = 0.0
    longest: float = 0.0

    @property
    def mean_together(self) -> float:
        """Writes in a transaction on average."""
        return self.writes / self.transactions if self.transactions else 0.0


class Meter:
    """Measures waits; any thread may read."""

    def __init__(self) -> None:
        self._rng = random.Random(0)  # noqa: S311 - draws a sample
        self._lock = Lock()
        self._sample: list[float] = []
        self._writes = self._transactions = self._most = 0
        self._longest = 0.0

    def add(self, waits: Sequence[float]) -> None:
        """Take in a transaction by the seconds that its writes waited."""
        with self._lock:
            self._transactions += 1
            self._most = max(self._most, len(waits))
            self._longest = max(self._longest, *waits)
            for wait in waits:
                self._writes += 1
                if len(self._sample) < SAMPLE:
                    self._sample.append(wait)
                elif (place := int(self._rng.random() * self._writes)) < SAMPLE:
                    self._sample[place] = wait

    def read(self, queued: int) -> Contention:
        """Return the figures so far.

        Args:
            queued: Writes that wait now.
        """
        with self._lock:
            waits = sorted(self._sample)
            return Contention(
                queued,
                self._most,
                self._writes,
                self._transactions,
                _quantile(waits, 0.5),
                _quantile(waits, 0.99),
                self._longest,
            )


def _quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[int(share * (len(ordered) - 1))] if ordered else 0.0

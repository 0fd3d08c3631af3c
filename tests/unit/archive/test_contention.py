from pathlib import Path

import anyio
import pytest

from evolith.archive.contention import SAMPLE, Contention, Meter
from evolith.archive.sql import SqlStore
from evolith.testing.store_suite import call


def test_before_the_first_write_there_are_no_figures() -> None:
    assert Meter().read(0) == Contention()
    assert Contention().mean_together == 0.0


def test_waits_are_counted_by_transaction() -> None:
    meter = Meter()
    meter.add([0.1, 0.2, 0.3])
    meter.add([0.4])
    found = meter.read(queued=5)
    assert (found.queued, found.most_together) == (5, 3)
    assert (found.writes, found.transactions, found.mean_together) == (4, 2, 2.0)
    assert (found.median, found.longest) == (0.2, 0.4)


def test_of_many_waits_an_even_sample_is_kept() -> None:
    meter, count = Meter(), 20 * SAMPLE
    for number in range(count):
        meter.add([number / count])
    found = meter.read(0)
    assert (found.writes, found.longest) == (count, (count - 1) / count)
    assert found.median == pytest.approx(0.5, abs=0.05)
    assert found.p99 == pytest.approx(0.99, abs=0.01)


def test_writes_of_one_moment_share_a_transaction(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path)

    async def work() -> None:
        async with anyio.create_task_group() as group:
            for number in range(40):
                group.start_soon(store.append, [call(number)])

    anyio.run(work)
    found = store.contention()
    assert (found.writes, found.queued) == (40, 0)
    assert found.transactions < 40
    assert 0 < found.median <= found.p99 <= found.longest
    store.close()
    reading = SqlStore.read(tmp_path)
    assert reading.contention() == Contention()
    reading.close()

"""The rules that move workers between stages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.core.ids import rng_for
from evolith.engine.control import ProportionalIntegral, median_rule, rate
from evolith.engine.figures import StageFigures
from evolith.engine.stage import Workers


def figures(
    seconds: float = 0.0,
    *,
    workers: int = 2,
    busy: int = 0,
    waiting: int = 0,
    arrived: int = 0,
    done: int = 0,
    worked: float = 0.0,
) -> StageFigures:
    return StageFigures(
        name="stage",
        workers=workers,
        busy=busy,
        waiting=waiting,
        arrived=arrived,
        done=done,
        waited=0.0,
        worked=worked,
        idle=0.0,
        longest=0,
        wait_p50=0.0,
        wait_p99=0.0,
        seconds=seconds,
    )


@pytest.mark.parametrize(
    ("rates", "changes"),
    [
        ([1.0, 1.0, 1.0], [0, 0, 0]),
        ([0.4, 1.0, 1.0], [1, 0, 0]),
        ([0.5, 1.0, 2.0], [0, 0, 0]),
        ([0.49, 1.0, 2.01], [1, 0, -1]),
        ([0.0, 1.0, 1.0, 9.0], [1, 0, 0, -1]),
        ([0.0, 0.0, 0.0], [0, 0, 0]),
        ([0.0, 0.0, 3.0], [0, 0, -1]),
        ([4.0], [0]),
    ],
)
def test_under_half_of_the_median_gets_a_worker_and_over_twice_loses_one(
    rates: Sequence[float], changes: list[int]
) -> None:
    assert median_rule(rates) == changes


def test_a_rate_is_what_was_handed_on_between_two_readings() -> None:
    assert rate(figures(10.0, done=3), figures(14.0, done=13)) == 2.5
    assert rate(figures(10.0, done=3), figures(10.0, done=3)) == 0.0


@dataclass
class Queue:
    """A stage of which each worker takes `service` seconds for an item, looked at every `tau`."""

    load: Callable[[int], float]
    """Items that arrive in a second, by the look."""
    service: float
    bounds: Workers
    start: int
    tau: float = 5.0

    def run(self, looks: int, seed: int = 0) -> list[tuple[int, float]]:
        """Return the workers and the items that wait, look by look."""
        rule, rng = ProportionalIntegral(self.tau), rng_for("queue", seed)
        workers, waiting, arrived, done = self.start, 0.0, 0, 0.0
        old, seen = figures(workers=workers), []
        for look in range(looks):
            came = sum(rng.random() < 0.5 for _ in range(round(2 * self.load(look) * self.tau)))
            able = workers * self.tau / self.service
            served = min(waiting + came, able)
            waiting += came - served
            arrived, done = arrived + came, done + served
            new = figures(
                (look + 1) * self.tau,
                workers=workers,
                busy=round(served * self.service / self.tau),
                waiting=round(waiting),
                arrived=arrived,
                done=int(done),
                worked=done * self.service,
            )
            workers = rule.wanted(old, new, self.bounds.clip)
            old = new
            seen.append((workers, waiting))
        return seen


@pytest.mark.parametrize(("load", "service"), [(1.0, 2.0), (4.0, 2.0), (0.5, 16.0), (10.0, 1.0)])
def test_pi_holds_a_queue_empty_with_hardly_more_workers_than_it_takes(
    load: float, service: float
) -> None:
    seen = Queue(lambda _: load, service, Workers(1, 32), 1).run(200)[60:]
    needed = load * service
    workers = sum(each for each, _ in seen) / len(seen)
    assert needed * 0.9 <= workers <= needed * 1.3 + 1
    assert sorted(waiting for _, waiting in seen)[len(seen) // 2] <= needed


def test_pi_follows_a_load_that_grows_and_falls() -> None:
    queue = Queue(lambda look: 8.0 if 50 <= look < 100 else 1.0, 2.0, Workers(1, 32), 2)
    workers = [each for each, _ in queue.run(150)]
    assert max(workers[:50]) <= 6
    assert min(workers[75:100]) >= 12
    assert max(workers[125:]) <= 6


def test_pi_does_not_wind_up_while_a_pool_is_at_its_bounds() -> None:
    def after(looks: int) -> float:
        """Return the mean of workers soon after an overload that took so many looks is over."""
        queue = Queue(lambda look: 20.0 if look < looks else 0.5, 2.0, Workers(1, 8), 8)
        seen = queue.run(looks + 3000)
        clear = next(at for at, (_, waiting) in enumerate(seen) if at > looks and waiting == 0)
        return sum(each for each, _ in seen[clear : clear + 12]) / 12

    assert after(20) <= 3
    assert after(400) == pytest.approx(after(20), abs=0.5)


def test_pi_leaves_a_stage_as_it_is_until_it_has_done_something() -> None:
    rule = ProportionalIntegral(5.0)
    new = figures(5.0, workers=3, busy=3, waiting=4, arrived=7)
    assert rule.wanted(figures(workers=3), new, Workers(1, 8).clip) == 3


def test_pi_keeps_a_first_stage_that_is_always_busy_and_has_no_queue() -> None:
    rule, old = ProportionalIntegral(5.0), figures(workers=6)
    for look in range(1, 60):
        new = figures(
            5.0 * look, workers=6, busy=6, arrived=15 * look + 6, done=15 * look, worked=30.0 * look
        )
        assert 6 <= rule.wanted(old, new, Workers(1, 12).clip) <= 8
        old = new


COUNTS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 9)), min_size=1, max_size=30
)


@given(COUNTS, st.integers(1, 5), st.integers(0, 9))
def test_pi_never_leaves_the_bounds(
    looks: list[tuple[int, int, int]], least: int, more: int
) -> None:
    rule, bounds, old = ProportionalIntegral(1.0), Workers(least, least + more), figures()
    workers = least
    for number, (came, waiting, busy) in enumerate(looks, start=1):
        new = figures(
            float(number),
            workers=workers,
            busy=busy,
            waiting=waiting,
            arrived=old.arrived + came,
            done=old.done + came,
            worked=old.worked + came * 2.0,
        )
        workers = rule.wanted(old, new, bounds.clip)
        assert least <= workers <= least + more
        old = new

"""Spacing of calls: a limit that was stated is never passed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.models.gate import BURST, SHARE
from evolith.models.pace import LearnedPace, Pace
from evolith.testing.rate_limits import FixedWindow, Limit, SlidingWindow, TokenBucket

SERVERS = [FixedWindow, SlidingWindow, TokenBucket]


@pytest.mark.parametrize("server", SERVERS)
@given(
    requests=st.integers(1, 6000),
    seconds=st.sampled_from([1, 10, 60]),
    silences=st.lists(st.sampled_from([0.0, 0.0, 0.001, 0.3, 2.0, 70.0]), max_size=400),
)
def test_no_server_refuses_a_call_at_a_stated_pace(
    server: type[FixedWindow | SlidingWindow | TokenBucket],
    requests: int,
    seconds: int,
    silences: list[float],
) -> None:
    limit: Limit = server(requests, seconds)
    pace, now = Pace(SHARE * requests / seconds, BURST), 0.0
    for silence in silences:
        now += silence
        now += pace.wait(now)
        pace.take(1, now)
        assert limit.ask(now) == 0


def test_a_learned_pace_is_that_between_two_waits() -> None:
    pace = LearnedPace()
    for second in range(10):
        pace.sent(float(second))
        pace.came_back(float(second))
    assert pace.rate(9.0) is None
    pace.refused(9.0)
    pace.learn(18.0)
    assert pace.rate(18.0) == pytest.approx(9 / 18)
    assert pace.rate(38.0) == pytest.approx(2 * 9 / 18)


def test_a_wait_in_which_nothing_was_taken_teaches_nothing() -> None:
    pace = LearnedPace()
    pace.sent(0.0)
    pace.refused(0.0)
    pace.came_back(0.1)
    pace.learn(5.0)
    assert pace.rate(5.0) is None

import random
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.report.data import Estimate
from evolith.report.measures import (
    avg_at_k,
    mcnemar,
    paired_difference,
    pass_at_k,
    share,
    solved,
    turnover,
)

SCORES = st.dictionaries(
    st.text(max_size=3),
    st.lists(st.floats(0, 1) | st.sampled_from([0.0, 1.0]), max_size=4),
    max_size=30,
)
PASSES = st.dictionaries(st.text(max_size=2), st.lists(st.booleans(), max_size=4), max_size=30)


def rng() -> random.Random:
    return random.Random(5)


def known(estimate: Estimate | None) -> Estimate:
    assert estimate is not None
    return estimate


def test_avg_at_k_is_the_mean_over_tasks_of_the_mean_over_attempts() -> None:
    scores = {"a": [1.0, 0.0], "b": [0.5], "c": [0.2, 0.4, 0.6]}
    assert known(avg_at_k(scores, rng())).value == pytest.approx((0.5 + 0.5 + 0.4) / 3)


def test_pass_at_k_is_the_share_of_tasks_with_a_pass() -> None:
    passes = {"a": [False, True], "b": [False, False], "c": [True], "d": []}
    estimate = known(pass_at_k(passes))
    assert (estimate.value, estimate.n) == pytest.approx((2 / 3, 3))


def test_a_share_has_jeffreys_interval() -> None:
    estimate = known(share(16, 200))  # by any table of the beta distribution: B(16.5, 184.5)
    assert (estimate.low, estimate.high) == pytest.approx((0.04835, 0.12368), abs=1e-5)


def test_nothing_scored_gives_no_figure() -> None:
    assert share(0, 0) is None
    assert avg_at_k({"a": []}, rng()) is None
    assert pass_at_k({}) is None
    assert paired_difference({"a": [1.0]}, {"b": [1.0]}, rng()) is None


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_equal_scores_still_leave_an_uncertainty(value: float) -> None:
    estimate = known(avg_at_k({str(n): [value, value] for n in range(20)}, rng()))
    assert estimate.high - estimate.low > 0.1


def test_the_difference_is_paired_by_task() -> None:
    before = {"a": [0.0], "b": [0.5], "only before": [1.0]}
    after = {"a": [1.0], "b": [0.0, 0.5], "only after": [0.0]}
    estimate = known(paired_difference(before, after, rng()))
    assert (estimate.value, estimate.n) == pytest.approx(((1.0 - 0.25) / 2, 2))


def test_pairing_makes_the_interval_narrower_than_that_of_the_scores() -> None:
    before = {str(n): [n / 40] for n in range(20)}
    after = {task: [values[0] + (0.2 if int(task) % 2 else 0.3)] for task, values in before.items()}
    gain, alone = known(paired_difference(before, after, rng())), known(avg_at_k(after, rng()))
    assert gain.high - gain.low < (alone.high - alone.low) / 3
    assert gain.low > 0


def test_the_same_results_on_200_tasks_leave_about_a_point_either_way() -> None:
    same = {str(n): [0.0] for n in range(200)}
    estimate = known(paired_difference(same, same, rng()))
    assert (estimate.low, estimate.high) == pytest.approx((-0.0097, 0.0097), abs=1e-4)


def test_a_task_is_gained_when_it_is_solved_after_and_not_before() -> None:
    before = {"won": [False], "kept": [True], "gone": [True], "failed later": [True]}
    after = {"won": [True], "kept": [True], "gone": [False], "failed later": []}
    assert turnover(before, after) == (("won",), ("gone",))


def test_one_lucky_pass_in_eight_attempts_is_no_gain() -> None:
    lucky = {"t": [True] + [False] * 7}
    assert solved(lucky) == frozenset()
    assert turnover({"t": [False] * 8}, lucky) == ((), ())


@pytest.mark.parametrize(("gained", "lost"), [(5, 0), (8, 2), (3, 4)])
def test_mcnemar_counts_the_uneven_splits(gained: int, lost: int) -> None:
    n = gained + lost
    tail = sum(comb(n, k) for k in range(min(gained, lost) + 1)) / 2**n
    assert mcnemar(gained, lost) == pytest.approx(min(1.0, 2 * tail))


def test_mcnemar_of_no_change_is_1() -> None:
    assert mcnemar(0, 0) == 1.0


@given(SCORES, st.integers(0, 9))
def test_an_interval_holds_its_estimate_and_stays_in_range(
    scores: dict[str, list[float]], seed: int
) -> None:
    estimate = avg_at_k(scores, random.Random(seed))
    if estimate is not None:
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


@given(SCORES, SCORES)
def test_the_interval_of_a_difference_holds_it_and_stays_in_range(
    before: dict[str, list[float]], after: dict[str, list[float]]
) -> None:
    estimate = paired_difference(before, after, rng())
    if estimate is not None:
        assert -1 <= estimate.low <= estimate.value <= estimate.high <= 1


@given(SCORES)
def test_a_failure_never_changes_a_mean(scores: dict[str, list[float]]) -> None:
    """A failed rollout has no score: its task is there without one."""
    assert avg_at_k(scores | {"failed": []}, rng()) == avg_at_k(
        {task: values for task, values in scores.items() if task != "failed"}, rng()
    )


@given(SCORES)
def test_the_order_of_tasks_does_not_matter(scores: dict[str, list[float]]) -> None:
    assert avg_at_k(scores, rng()) == avg_at_k(dict(reversed(scores.items())), rng())


@given(PASSES, PASSES)
def test_no_task_is_both_gained_and_lost(
    before: dict[str, list[bool]], after: dict[str, list[bool]]
) -> None:
    gained, lost = turnover(before, after)
    assert not {*gained} & {*lost}
    assert {*gained} <= solved(after)
    assert {*lost} <= solved(before)
    assert turnover(after, before) == (lost, gained)


@given(st.integers(0, 60), st.integers(0, 60))
def test_more_evidence_makes_an_interval_narrower(successes: int, misses: int) -> None:
    n = successes + misses
    if n:
        few, many = known(share(successes, n)), known(share(10 * successes, 10 * n))
        assert many.high - many.low < few.high - few.low

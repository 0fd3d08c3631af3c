"""What the end of an evaluation is predicted to be, from the part that is back."""

from collections.abc import Sequence
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.core.ids import rng_for
from evolith.engine.early import predict

SCORE = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@given(st.lists(st.tuples(SCORE, SCORE), min_size=1, max_size=12), st.integers(1, 12))
def test_no_end_that_is_possible_is_called_impossible_and_no_other_is_called_possible(
    pairs: list[tuple[float, float]], back: int
) -> None:
    back = min(back, len(pairs))
    differences = [child - rival for child, rival in pairs[:back]]
    remaining = [rival for _, rival in pairs[back:]]
    worst = sum(differences) - sum(remaining)
    best = worst + len(remaining)
    predicted = predict(differences, remaining)
    assert (predicted.probability == 0.0) >= (best <= 0)
    assert (predicted.probability == 1.0) >= (worst > 0)
    if best > 0 >= worst:
        assert 0.0 < predicted.probability < 1.0
    assert worst / len(pairs) - 1e-9 <= predicted.low <= predicted.high
    assert predicted.high <= best / len(pairs) + 1e-9


@pytest.mark.parametrize(("differences", "sure"), [([0.5], 1.0), ([-0.5], 0.0), ([1, -1], 0.0)])
def test_a_complete_evaluation_leaves_no_doubt(differences: list[float], sure: float) -> None:
    predicted = predict(differences, [])
    assert predicted.probability == sure
    assert predicted.low == predicted.high == pytest.approx(fmean(differences))


def test_with_nothing_back_both_ends_are_as_likely() -> None:
    assert predict([], [0.5] * 8).probability == pytest.approx(0.5)


def test_more_lost_tasks_make_a_better_end_less_likely() -> None:
    chances = [predict([-1.0] * lost, [0.5] * (20 - lost)).probability for lost in range(10)]
    assert chances == sorted(chances, reverse=True)
    assert len(set(chances)) > 5


def worlds(
    chances: Sequence[tuple[float, float]], back: int, total: int, runs: int
) -> list[tuple[float, bool, bool]]:
    """Return what was predicted in random evaluations, how each ended, and whether inside."""
    found = []
    for run in range(runs):
        rng = rng_for("early", run, back)
        ours, theirs = chances[run % len(chances)]
        pairs = [(float(rng.random() < ours), float(rng.random() < theirs)) for _ in range(total)]
        differences = [child - rival for child, rival in pairs]
        predicted = predict(differences[:back], [rival for _, rival in pairs[back:]])
        end = fmean(differences)
        inside = predicted.low - 1e-9 <= end <= predicted.high + 1e-9
        found.append((predicted.probability, end > 0, inside))
    return found


CHANCES = [(ours / 10, theirs / 10) for ours in range(2, 9) for theirs in range(2, 9)]


@pytest.mark.parametrize("back", [5, 10, 25])
def test_predicted_chances_come_true_but_for_ties_which_count_as_possible(
    back: int,
) -> None:
    found = worlds(CHANCES, back, 50, 3000)
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        bucket = [(chance, better) for chance, better, _ in found if low <= chance < low + 0.2]
        assert len(bucket) > 100
        said, came = fmean(chance for chance, _ in bucket), fmean(better for _, better in bucket)
        # A tie is no improvement, and where scores are 0 or 1 there are many.
        assert said - 0.12 <= came <= said + 0.08


@pytest.mark.parametrize("back", [5, 10, 25])
def test_intervals_hold_the_end_in_at_least_nine_of_ten_evaluations(back: int) -> None:
    found = worlds(CHANCES, back, 50, 3000)
    assert fmean(inside for _, _, inside in found) >= 0.9


def test_giving_up_at_five_per_cent_rejects_hardly_anything_that_would_have_been_better() -> None:
    found = worlds(CHANCES, 10, 50, 3000)
    given_up = [better for chance, better, _ in found if chance <= 0.05]
    assert len(given_up) > 200
    assert fmean(given_up) <= 0.06

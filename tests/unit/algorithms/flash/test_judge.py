"""When a comparison of the line with the champion is clear."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.algorithms.flash.judge import Pairs, better, proved
from evolith.core.events import PROVED

COUNT = st.integers(0, 40)


@given(COUNT, COUNT)
def test_a_win_more_makes_better_more_likely_and_both_sides_add_up(wins: int, losses: int) -> None:
    assert better(wins + 1, losses) > better(wins, losses) > better(wins, losses + 1)
    assert better(wins, losses) + better(losses, wins) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("wins", "losses", "chance"), [(0, 0, 0.5), (1, 0, 0.75), (4, 0, 31 / 32), (0, 3, 1 / 16)]
)
def test_the_chance_to_be_better_is_that_of_a_uniform_prior(
    wins: int, losses: int, chance: float
) -> None:
    assert better(wins, losses) == pytest.approx(chance)


SCORES = st.dictionaries(
    st.integers(0, 30).map(str), st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=20
)


@given(SCORES)
def test_the_interval_holds_the_mean_or_what_a_doubt_leaves_of_it_and_stays_possible(
    scores: dict[str, tuple[float, float]],
) -> None:
    pairs = Pairs(scores)
    low, high = pairs.interval()
    assert -1.0 <= low <= pairs.difference <= high <= 1.0
    assert 0.0 < pairs.probability < 1.0


def test_ties_say_nothing_of_who_is_better() -> None:
    pairs = Pairs({str(number): (0.5, 0.5) for number in range(20)})
    assert pairs.probability == 0.5
    assert pairs.difference == 0.0


def test_a_proof_says_by_how_much_on_how_many_tasks_and_how_surely() -> None:
    verdict = proved(Pairs({"t1": (1.0, 0.0), "t2": (1.0, 0.5)}))
    assert (verdict.outcome, verdict.code) == ("accepted", PROVED)
    assert verdict.reason.startswith("+0.750 against the champion on 2 tasks")
    assert "probability 0.88" in verdict.reason

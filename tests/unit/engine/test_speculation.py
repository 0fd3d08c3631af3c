"""When a share of the requests is enough to go on with."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.engine.speculation import EASE, LEAST, MOST, START, STEP, Share, share


@given(st.integers(1, 100), st.integers(1, 60), st.integers(0, 60))
def test_a_share_is_enough_from_its_part_of_the_requests_on_but_never_all_of_them(
    hundredths: int, total: int, back: int
) -> None:
    enough = Share(hundredths / 100).enough(back, total)
    assert enough == (Fraction(hundredths, 100) * total <= back < total)


def test_a_share_of_one_hands_nothing_on_early() -> None:
    assert Share(1.0).off
    assert not any(Share(1.0).enough(back, 7) for back in range(8))
    assert not Share(0.99).off
    assert not share("adaptive").off


@given(st.lists(st.booleans(), max_size=80), st.integers(2, 40))
def test_an_adaptive_share_stays_inside_its_bounds_and_never_stops_to_learn(
    confirmed: list[bool], total: int
) -> None:
    adaptive = share("adaptive")
    for each in confirmed:
        adaptive.settle(confirmed=each)
        assert LEAST <= adaptive.alpha <= MOST
        assert adaptive.enough(total - 1, total)
        assert not adaptive.enough(0, total)


def test_an_adaptive_share_grows_when_it_was_wrong_and_shrinks_slowly_while_it_is_right() -> None:
    adaptive = share("adaptive")
    assert adaptive.alpha == START
    adaptive.settle(confirmed=False)
    assert adaptive.alpha == pytest.approx(START + STEP)
    for _ in range(round(STEP / EASE)):
        adaptive.settle(confirmed=True)
    assert adaptive.alpha == pytest.approx(START)


def test_a_fixed_share_learns_nothing() -> None:
    fixed = share(0.3)
    fixed.settle(confirmed=False)
    assert fixed.alpha == 0.3

"""Scores, tasks, budgets and prices."""

import math
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.core.budget import Amount, Budget, Price
from evolith.core.ids import rng_for
from evolith.core.score import Score
from evolith.core.task import Split, Task, TaskSet
from evolith.errors import ConfigError, EvolithError

AMOUNTS = st.builds(
    Amount,
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.decimals(0, 100, places=6),
    st.integers(0, 100),
    st.integers(0, 100),
)


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 1.1])
def test_a_score_outside_zero_to_one_is_refused(value: float) -> None:
    with pytest.raises(EvolithError, match="from 0 to 1"):
        Score(value, passed=False)


def test_a_sealed_task_holds_nothing_that_only_the_scorer_may_see() -> None:
    task = Task("t", "2+2?", {"hint": "sum"}, "four", {"tests": "secret"})
    sealed = task.sealed()
    assert (sealed.id, sealed.input, sealed.fields) == ("t", "2+2?", {"hint": "sum"})
    assert "four" not in repr(sealed)
    assert "secret" not in repr(sealed)


def test_the_hash_of_a_task_set_depends_on_split_and_order() -> None:
    one, two = Task("1", "a"), Task("2", "b")
    hashes = {TaskSet((one,), (two,)).hash, TaskSet((two,), (one,)).hash}
    hashes |= {TaskSet((one, two), ()).hash, TaskSet((two, one), ()).hash}
    assert len(hashes) == 4
    assert [split for split, _ in TaskSet((one,), (two,))] == [Split.TRAIN, Split.VAL]


@given(AMOUNTS, AMOUNTS)
def test_amounts_add_and_subtract_without_loss(one: Amount, two: Amount) -> None:
    assert one + two - two == one
    assert (one + two).tokens == one.tokens + two.tokens


@pytest.mark.parametrize(
    "nothing",
    [
        lambda: Budget(tokens=0),
        lambda: Budget(money=Decimal(0)),
        lambda: Budget(rollouts=-1),
        lambda: Budget(seconds=math.nan),
    ],
)
def test_a_budget_of_nothing_is_refused(nothing: Callable[[], Budget]) -> None:
    with pytest.raises(ConfigError, match="allows nothing"):
        nothing()


def test_a_budget_names_the_limit_that_is_passed() -> None:
    budget = Budget(tokens=10, money=Decimal("0.5"), rollouts=3)
    assert budget.lacks(Amount(5, 5, Decimal("0.5"), 3)) is None
    assert budget.lacks(Amount(5, 6)) == "tokens"
    assert budget.lacks(Amount(0, 0, Decimal("0.51"))) == "money"
    assert budget.lacks(Amount(rollouts=4)) == "rollouts"


def test_a_price_is_for_a_million_tokens() -> None:
    assert Price(Decimal("2.5"), Decimal(10)).of(1000, 100) == Decimal("0.0035")


def test_randomness_depends_on_its_parts_alone() -> None:
    assert rng_for(0, "p1", "select").random() == rng_for(0, "p1", "select").random()
    assert rng_for(0, "p1", "select").random() != rng_for(0, "p2", "select").random()

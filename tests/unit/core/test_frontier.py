"""The per-task frontier: who stays, and for how many tasks."""

from hypothesis import given
from hypothesis import strategies as st

from evolith.core.frontier import frontier, fronts

SCORES = st.dictionaries(
    st.sampled_from(["seed", "a", "b", "c", "d"]),
    st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=4, max_size=4).map(
        lambda values: {f"t{i}": value for i, value in enumerate(values)}
    ),
    min_size=1,
)


def test_a_specialist_stays_beside_a_better_generalist() -> None:
    scores = {
        "seed": {"t0": 0.0, "t1": 0.0, "t2": 0.0},
        "generalist": {"t0": 1.0, "t1": 1.0, "t2": 0.0},
        "specialist": {"t0": 0.0, "t1": 0.0, "t2": 1.0},
    }
    assert frontier(scores) == {"generalist": 2, "specialist": 1}


def test_who_is_best_only_where_others_are_too_is_dominated() -> None:
    scores = {
        "a": {"t0": 1.0, "t1": 0.0, "t2": 1.0},
        "b": {"t0": 0.0, "t1": 1.0, "t2": 1.0},
        "c": {"t0": 0.0, "t1": 0.0, "t2": 1.0},
    }
    assert frontier(scores) == {"a": 2, "b": 2}


@given(SCORES)
def test_every_task_keeps_somebody_who_is_best_at_it(scores: dict[str, dict[str, float]]) -> None:
    kept = frontier(scores)
    for front in fronts(scores).values():
        assert any(name in kept for name in front)


@given(SCORES)
def test_nobody_on_the_frontier_is_dispensable(scores: dict[str, dict[str, float]]) -> None:
    kept = frontier(scores)
    for name in kept:
        alone = [front for front in fronts(scores).values() if name in front]
        assert any(not (set(front) & set(kept) - {name}) for front in alone)

"""The per-task Pareto frontier of GEPA: who is best at something, and not by another's leave."""

from collections.abc import Mapping, Sequence

Scores = Mapping[str, Mapping[str, float]]
"""Score by candidate, then by task."""


def fronts(scores: Scores) -> dict[str, list[str]]:
    """Return, for each task, the candidates that share its best score, in the order of `scores`."""
    best: dict[str, float] = {}
    for values in scores.values():
        for task, value in values.items():
            best[task] = max(value, best.get(task, value))
    return {
        task: [name for name, values in scores.items() if values.get(task) == top]
        for task, top in best.items()
    }


def frontier(scores: Scores) -> dict[str, int]:
    """Return the candidates that are not dominated, with the number of tasks each is best at.

    A candidate is dominated when on every task that it is best at another remaining candidate is
    best as well. Weak candidates are looked at first, so that of two equals the stronger stays
    (GEPA, algorithm 2, as its public implementation decides it).
    """
    by_task = fronts(scores)
    order = _in_order_of_strength(by_task, scores)
    remaining = set(order)
    dropped = True
    while dropped:
        dropped = False
        for name in order:
            if name in remaining and _dominated(name, remaining, by_task):
                remaining.discard(name)
                dropped = True
                break
    return {
        name: sum(name in front for front in by_task.values())
        for name in scores
        if name in remaining
    }


def _in_order_of_strength(by_task: Mapping[str, Sequence[str]], scores: Scores) -> list[str]:
    seen = dict.fromkeys(name for front in by_task.values() for name in front)
    return sorted(seen, key=lambda name: sum(scores[name].values()) / len(scores[name]))


def _dominated(name: str, remaining: set[str], by_task: Mapping[str, Sequence[str]]) -> bool:
    others = remaining - {name}
    return all(
        any(other in others for other in front) for front in by_task.values() if name in front
    )

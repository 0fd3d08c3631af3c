"""From what a candidate descends."""

from evolith.archive.state import State


def ancestors(state: State, *candidates: str) -> frozenset[str]:
    """Return candidates and everything that they descend from."""
    found: set[str] = set()
    waiting = [*candidates]
    while waiting:
        name = waiting.pop()
        if name in state.candidates and name not in found:
            found.add(name)
            waiting.extend(state.candidates[name].parents)
    return frozenset(found)


def sources(state: State, candidate: str) -> tuple[tuple[str, ...], int]:
    """Return the nearest accepted ancestors, and how many candidates lie between.

    Changes that are fused, and texts that were moved, come between two accepted candidates. An
    ancestor of another one that was found is left out.
    """
    accepted, found, between = set(state.pool), list[str](), set[str]()
    waiting = [*state.candidates[candidate].parents]
    while waiting:
        name = waiting.pop(0)
        if name in accepted:
            if name not in found:
                found.append(name)
        elif name in state.candidates and name not in between:
            between.add(name)
            waiting.extend(state.candidates[name].parents)
    older = {old for name in found if len(found) > 1 for old in ancestors(state, name) - {name}}
    return tuple(name for name in found if name not in older), len(between)

"""Whether the events of a run fit together."""

from collections.abc import Iterator
from itertools import pairwise

from evolith.archive.problem import Problem
from evolith.archive.rows import RESTORE
from evolith.core.candidate import SEED
from evolith.core.events import (
    AnyEvent,
    Called,
    CandidateAdded,
    Decided,
    RolloutEnded,
    Selected,
    TestOpened,
)


class Consistency:
    """Takes in the events of a run, then says which of them do not fit to the others."""

    def __init__(self) -> None:
        self._candidates: set[str] = set()
        self._items: set[str] = {SEED}
        self._decisions: list[Decided] = []
        self._named_candidates: list[tuple[str, str]] = []
        """Pairs of event key and the candidate that the event names."""

    def add(self, event: AnyEvent) -> None:
        """Take in one more event, in the order of writing."""
        named: tuple[str | None, ...] = ()
        match event:
            case CandidateAdded():
                self._candidates.add(event.id)
                named = event.parents
            case Selected():
                self._items.add(event.item)
                named = event.parents
            case RolloutEnded() | TestOpened():
                named = (event.candidate,)
            case Decided():
                self._decisions.append(event)
                named = (event.candidate,)
            case _:
                pass
        self._named_candidates += [(event.key, name) for name in named if name is not None]

    def problems(self) -> Iterator[Problem]:
        """Yield what does not fit."""
        for key, name in self._named_candidates:
            if name not in self._candidates:
                yield _problem(key, f"it names candidate {name}, which is not recorded")
        yield from self._decision_problems()

    def _decision_problems(self) -> Iterator[Problem]:
        decided: set[str] = set()
        for decision in self._decisions:
            if decision.item not in self._items and decision.candidate != SEED:
                yield _problem(decision.key, "it decides an item that was never selected")
            if decision.item in decided:
                yield _problem(decision.key, "its item was decided before")
            decided.add(decision.item)
        for first in self._decisions[:1]:
            if (first.order, first.version) != (0, 0):
                yield _problem(first.key, "it is the first decision, but not order 0 of version 0")
        for before, after in pairwise(self._decisions):
            if after.order != before.order + 1:
                yield _problem(
                    after.key, f"its order is {after.order}, and that before it {before.order}"
                )
            if after.version != before.version + (after.verdict.outcome == "accepted"):
                yield _problem(
                    after.key,
                    f"it is {after.verdict.outcome} and takes the version from {before.version} to "
                    f"{after.version}",
                )


def blobs_of(event: AnyEvent) -> tuple[str, ...]:
    """Return the hashes of the blobs that an event names."""
    named: tuple[str | None, ...] = ()
    match event:
        case CandidateAdded():
            named = (event.artifact,)
        case Called():
            named = (event.request, event.text)
        case RolloutEnded():
            named = (event.output,)
        case _:
            pass
    return tuple(digest for digest in named if digest is not None)


def _problem(key: str, what: str) -> Problem:
    return Problem(what, f"event {key}", RESTORE)

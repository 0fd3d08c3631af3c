"""One candidate: what it changed, on what evidence, with which result. For `evolith show`."""

from collections.abc import Sequence
from dataclasses import dataclass

from evolith.archive.archive import Archive
from evolith.archive.state import State
from evolith.core.artifact import Artifact
from evolith.core.candidate import SEED
from evolith.core.change import Change
from evolith.core.events import RolloutEnded
from evolith.core.task import Split
from evolith.errors import UsageError
from evolith.report.data import Difference, Estimate, Proposal
from evolith.report.lineage import file_changes, proposals
from evolith.report.splits import estimate

_MOVES = ("rebase", "repair")
"""Operators that put a new text in the place of a stale one, which is its last parent."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A rollout of the minibatch."""

    value: float | None
    """None where it failed."""
    feedback: str
    """What the scorer said, or why there is no score."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A task of the minibatch, with each parent and with the candidate."""

    task: str
    before: tuple[Trial | None, ...]
    after: Trial | None


@dataclass(frozen=True, slots=True)
class Part:
    """A parent among several."""

    id: str
    operator: str
    outcome: str
    """What was first decided about it; empty while it is undecided or replaced."""
    about: str
    """Why, or else why it was made."""


@dataclass(frozen=True, slots=True)
class CandidateSheet:
    """Everything that is known of one candidate."""

    id: str
    parents: tuple[str, ...]
    operator: str
    item: str
    rationale: str
    decisions: tuple[Proposal, ...]
    """Those about it, in their order; none for the seed and while it is undecided."""
    became: str | None
    """What took its place when it was stale."""
    made_of: tuple[Part, ...]
    """Its parents, where it has more than one."""
    val: Estimate | None
    test: Estimate | None
    before: tuple[str, ...]
    """The parents that were run on the minibatch."""
    after: str
    """Which candidate was compared with them: the text as it was before it was moved or mended."""
    evidence: tuple[Evidence, ...]
    changes: tuple[tuple[str, Difference], ...]
    """Against the first parent, for a merge against both; against nothing for the seed."""


def find_candidate(archive: Archive, name: str) -> str:
    """Return the id that a user means by an id, its beginning, `champion`, or a proposal's id.

    Raises:
        UsageError: there is no such candidate, or more than one.
    """
    state = archive.state
    if name == "champion":
        if state.champion is None:
            raise UsageError(
                "no candidate is evaluated yet, so there is no champion",
                fix="resume the run, or name a candidate",
            )
        return state.champion
    if name in state.candidates:
        return name
    found = [
        event.id
        for event in state.candidates.values()
        if name and (event.item == name or event.id.startswith(name))
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(
            f"{len(found)} candidates begin with {name!r}: {', '.join(sorted(found)[:5])}",
            fix="give more of the id",
        )
    raise UsageError(
        f"the run has no candidate {name!r}",
        fix="give `seed`, `champion`, a candidate's id or its beginning, or a proposal's id",
    )


def build_candidate(archive: Archive, name: str) -> CandidateSheet:
    """Return the sheet of a candidate.

    Args:
        archive: The run.
        name: As for `find_candidate`.

    Raises:
        UsageError: there is no such candidate.
    """
    identity, state = find_candidate(archive, name), archive.state
    candidate = archive.candidate(identity)
    tried = proposals(state)
    selected = state.selected.get(candidate.item)
    before = _one_or_both(selected.operator, selected.parents or (SEED,)) if selected else ()
    after = _compared(state, identity)
    return CandidateSheet(
        id=identity,
        parents=candidate.parents,
        operator=candidate.operator,
        item=candidate.item,
        rationale=candidate.rationale,
        decisions=tuple(proposal for proposal in tried if proposal.candidate == identity),
        became=_became(state, identity),
        made_of=_parts(archive, candidate.parents, tried),
        val=estimate(state, identity, Split.VAL),
        test=estimate(state, identity, Split.TEST),
        before=before,
        after=after,
        evidence=_evidence(archive, before, after, selected.tasks if selected else ()),
        changes=_changes(archive, identity),
    )


def _compared(state: State, identity: str) -> str:
    """Return the candidate that was run on the minibatch: this one, or what it was moved from."""
    event = state.candidates[identity]
    return event.parents[-1] if event.operator in _MOVES else identity


def _one_or_both(operator: str, parents: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a candidate is compared with: only a merge has parents of equal standing."""
    return parents if operator == "merge" else parents[:1]


def _became(state: State, identity: str) -> str | None:
    item = state.candidates[identity].item
    return next(
        (
            event.id
            for event in state.candidates.values()
            if event.item == item and event.operator in _MOVES and event.parents[-1] == identity
        ),
        None,
    )


def _parts(
    archive: Archive, parents: tuple[str, ...], tried: Sequence[Proposal]
) -> tuple[Part, ...]:
    if len(parents) < 2:  # noqa: PLR2004 - one parent is no news
        return ()
    first: dict[str, Proposal] = {}
    for proposal in tried:
        first.setdefault(proposal.candidate or "", proposal)
    parts = []
    for parent in parents:
        event, decided = archive.state.candidates[parent], first.get(parent)
        about = decided.reason if decided else event.rationale
        parts.append(Part(parent, event.operator, decided.outcome if decided else "", about))
    return tuple(parts)


def _evidence(
    archive: Archive, parents: tuple[str, ...], child: str, tasks: tuple[str, ...]
) -> tuple[Evidence, ...]:
    found = [
        Evidence(
            task,
            tuple(_trial(archive, parent, task) for parent in parents),
            _trial(archive, child, task),
        )
        for task in tasks
    ]
    return tuple(one for one in found if any(one.before) or one.after)


def _trial(archive: Archive, candidate: str, task: str) -> Trial | None:
    """Return the first scored attempt, which is the one that operators see, or the last failure."""
    tried = sorted(
        attempt
        for split in Split
        for name, attempt in archive.state.rollouts.get((candidate, split), {})
        if name == task
    )
    events = [archive.rollout(candidate, task, attempt) for attempt in tried]
    known = [event for event in events if event is not None]
    scored = [event for event in known if event.value is not None]
    return _as_trial(scored[0]) if scored else _as_trial(known[-1]) if known else None


def _as_trial(event: RolloutEnded) -> Trial:
    if event.value is None:
        return Trial(None, f"{event.boundary or 'failure'}: {event.message}")
    return Trial(event.value, event.feedback)


def _changes(archive: Archive, identity: str) -> tuple[tuple[str, Difference], ...]:
    candidate = archive.candidate(identity)
    parents = _one_or_both(candidate.operator, candidate.parents)
    found = []
    for parent in parents or ("nothing",):
        before = archive.candidate(parent).artifact if parents else Artifact(())
        change = Change.between(before, candidate.artifact)
        found.append((parent, Difference(file_changes(change), change.diff())))
    return tuple(found)

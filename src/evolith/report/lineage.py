"""How the search went: proposals, candidates, the score curve, the champion's change."""

from evolith.archive.archive import Archive
from evolith.archive.state import State
from evolith.core.candidate import SEED
from evolith.core.change import Change
from evolith.core.events import Decided
from evolith.core.task import Split
from evolith.report.data import CurvePoint, Difference, FileChange, Node, Proposal
from evolith.report.splits import estimate


def proposals(state: State) -> tuple[Proposal, ...]:
    """Return the decided proposals in the order of decision."""
    return tuple(_proposal(state, decided) for decided in state.decided.values() if _tried(decided))


def nodes(state: State) -> tuple[Node, ...]:
    """Return the candidates, parents before children."""
    decided = {d.candidate: d for d in state.decided.values() if d.candidate}
    line = ancestors(state, state.champion)
    found = [
        Node(
            id=event.id,
            parents=event.parents,
            operator=event.operator,
            item=event.item,
            order=decided[event.id].order if event.id in decided else None,
            outcome=decided[event.id].verdict.outcome if event.id in decided else None,
            val=state.mean(event.id, Split.VAL),
            line=event.id in line,
        )
        for event in state.candidates.values()
    ]
    return tuple(sorted(found, key=lambda n: (n.order is None, n.order or 0)))


def ancestors(state: State, candidate: str | None) -> frozenset[str]:
    """Return a candidate and everything that it descends from."""
    found: set[str] = set()
    waiting = [candidate] if candidate else []
    while waiting:
        name = waiting.pop()
        if name in state.candidates and name not in found:
            found.add(name)
            waiting.extend(state.candidates[name].parents)
    return frozenset(found)


def curve(archive: Archive) -> tuple[CurvePoint, ...]:
    """Return the champion's validation score: a point a new champion, and one at the end."""
    state = archive.state
    points = list(state.curve)
    if points and state.latest is not None and points[-1].order < state.latest.order:
        points.append(state.latest)
    return tuple(
        CurvePoint(
            point.order,
            point.seconds,
            point.rollouts,
            point.tokens,
            point.money,
            val,
            point.candidate,
        )
        for point in points
        if (val := estimate(state, point.candidate, Split.VAL)) is not None
    )


def difference(archive: Archive) -> Difference:
    """Return the champion's artifact against the seed's."""
    champion = archive.state.champion
    if champion is None:
        return Difference((), "")
    before, after = archive.candidate(SEED).artifact, archive.candidate(champion).artifact
    change = Change.between(before, after)
    return Difference(file_changes(change), change.diff())


def file_changes(change: Change) -> tuple[FileChange, ...]:
    """Return the lines that a change adds and removes, by file."""
    return tuple(
        FileChange(
            edit.path,
            added=sum(len(hunk.lines) for hunk in edit.hunks()),
            removed=sum(hunk.stop - hunk.start for hunk in edit.hunks()),
        )
        for edit in change.edits
    )


def _tried(decided: Decided) -> bool:
    return decided.candidate != SEED


def _proposal(state: State, decided: Decided) -> Proposal:
    selected = state.selected.get(decided.item)
    return Proposal(
        item=decided.item,
        order=decided.order,
        operator=selected.operator if selected else "",
        parents=selected.parents if selected else (),
        candidate=decided.candidate,
        outcome=decided.verdict.outcome,
        code=decided.verdict.code,
        reason=decided.verdict.reason,
        before=decided.before,
        after=decided.after,
        val=decided.val,
    )

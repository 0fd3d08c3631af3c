"""How the search went: proposals, candidates, the score curve, the champion's change."""

from evolith.archive.archive import Archive
from evolith.archive.state import State
from evolith.core.candidate import SEED
from evolith.core.change import Change
from evolith.core.events import CandidateAdded, Decided
from evolith.core.task import Split
from evolith.report.data import CurvePoint, Difference, FileChange, Node, Proposal
from evolith.report.descent import ancestors, sources
from evolith.report.splits import estimate


def proposals(state: State) -> tuple[Proposal, ...]:
    """Return the decided proposals in the order of decision."""
    return tuple(_proposal(state, decided) for decided in state.decided.values() if _tried(decided))


def nodes(state: State) -> tuple[Node, ...]:
    """Return the candidates, parents before children."""
    first: dict[str, Decided] = {}
    for decided in state.decided.values():
        if decided.candidate:
            first.setdefault(decided.candidate, decided)
    line, accepted = ancestors(state, state.champion or ""), set(state.pool)
    found = [
        _node(state, event, first.get(event.id), line, accepted=event.id in accepted)
        for event in state.candidates.values()
    ]
    return tuple(sorted(found, key=lambda n: (n.order is None, n.order or 0)))


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


def _node(
    state: State,
    event: CandidateAdded,
    decided: Decided | None,
    line: frozenset[str],
    *,
    accepted: bool,
) -> Node:
    outcome = decided.verdict.outcome if decided else None
    found, between = sources(state, event.id) if accepted else (event.parents, 0)
    return Node(
        id=event.id,
        parents=event.parents,
        operator=event.operator,
        item=event.item,
        order=decided.order if decided else None,
        outcome="accepted" if accepted else outcome,
        val=state.mean(event.id, Split.VAL),
        line=event.id in line,
        sources=found,
        between=between,
    )


def _tried(decided: Decided) -> bool:
    return decided.candidate != SEED


def _proposal(state: State, decided: Decided) -> Proposal:
    selected, verdict = state.selected.get(decided.item), decided.verdict
    before = decided.version - (verdict.outcome == "accepted")
    return Proposal(
        item=decided.item,
        order=decided.order,
        operator=selected.operator if selected else "",
        parents=selected.parents if selected else (),
        candidate=decided.candidate,
        outcome=verdict.outcome,
        code=verdict.code,
        reason=verdict.reason,
        before=decided.before,
        after=decided.after,
        val=decided.val,
        staleness=before - selected.version if selected else None,
    )

"""One candidate: what it changed, on what evidence, with which result. For `evolith show`."""

from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from evolith.archive.archive import Archive
from evolith.core.artifact import Artifact
from evolith.core.candidate import SEED
from evolith.core.change import Change
from evolith.core.events import RolloutEnded
from evolith.core.task import Split
from evolith.errors import UsageError
from evolith.report.data import Difference, Estimate, Proposal
from evolith.report.lineage import file_changes, proposals
from evolith.report.page import Page
from evolith.report.splits import estimate
from evolith.report.words import interval, line, percent, score

_FEEDBACK = 400
"""Characters of a feedback that are shown."""


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
class CandidateSheet:
    """Everything that is known of one candidate."""

    id: str
    parents: tuple[str, ...]
    operator: str
    item: str
    rationale: str
    proposal: Proposal | None
    """The decision about it; None for the seed and while it is undecided."""
    val: Estimate | None
    test: Estimate | None
    evidence: tuple[Evidence, ...]
    changes: tuple[Difference, ...]
    """Against each parent; against nothing for the seed."""


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
    identity = find_candidate(archive, name)
    candidate = archive.candidate(identity)
    decided = {p.candidate: p for p in proposals(archive.state)}
    return CandidateSheet(
        id=identity,
        parents=candidate.parents,
        operator=candidate.operator,
        item=candidate.item,
        rationale=candidate.rationale,
        proposal=decided.get(identity),
        val=estimate(archive.state, identity, Split.VAL),
        test=estimate(archive.state, identity, Split.TEST),
        evidence=_evidence(archive, identity, candidate.item),
        changes=_changes(archive, identity),
    )


def print_candidate(sheet: CandidateSheet, console: Console) -> None:
    """Print the sheet of a candidate, its whole diff included."""
    page = Page(console)
    outcome = sheet.proposal.outcome if sheet.proposal else ""
    colour = "green" if outcome == "accepted" else "yellow"
    page.ends(Text(line(sheet.id), "bold"), Text(outcome, colour))
    if sheet.parents:
        origin = f"{sheet.operator}, {sheet.item}, from {' and '.join(sheet.parents)}"
        page.text(Text(line(origin), "dim"), 0)
    if sheet.proposal:
        page.text(f"{sheet.proposal.code}: {sheet.proposal.reason}", 0)
    if sheet.rationale:
        page.heading("Why it was made")
        page.text(sheet.rationale)
    _scores(sheet, page)
    if sheet.evidence:
        page.heading("Minibatch", f"{_before(sheet.parents)} before, this candidate after")
        for evidence in sheet.evidence:
            _print_evidence(evidence, page)
    for against, change in zip(sheet.parents or ("nothing",), sheet.changes, strict=True):
        page.heading("Diff", f"against {against}")
        page.diff(change.diff)
        if not change.diff:
            page.text("The two are the same.")


def _before(parents: tuple[str, ...]) -> str:
    return " and then ".join(parents) if len(parents) > 1 else "the parent"


def _scores(sheet: CandidateSheet, page: Page) -> None:
    rows = [
        [name, percent(found.value), f"95% {interval(found)}", f"{found.n:,} tasks"]
        for name, found in (("validation", sheet.val), ("sealed test", sheet.test))
        if found
    ]
    if sheet.proposal and sheet.proposal.after is not None:
        before, after = score(sheet.proposal.before), score(sheet.proposal.after)
        rows.append(["minibatch", after, f"parent {before}", f"{len(sheet.evidence):,} tasks"])
    page.heading("Scores")
    page.table(["", ">", "", ">"], rows)
    if not rows:
        page.text("It was not run.")


def _print_evidence(evidence: Evidence, page: Page) -> None:
    page.text(Text(line(evidence.task), "bold"))
    trials = [*(("before", trial) for trial in evidence.before), ("after", evidence.after)]
    for name, trial in trials:
        if trial is None:
            continue
        value = "failed" if trial.value is None else score(trial.value)
        feedback = line(trial.feedback)
        cut = f"{feedback[:_FEEDBACK]} ..." if len(feedback) > _FEEDBACK else feedback
        style = "dim" if trial.value is None else ""
        page.text(Text.assemble((f"{name:<8}", "dim"), (f"{value:<8}", style), cut), 4, hang=16)


def _evidence(archive: Archive, candidate: str, item: str) -> tuple[Evidence, ...]:
    selected = archive.state.selected.get(item)
    if selected is None:
        return ()
    parents = selected.parents or (SEED,)
    return tuple(
        Evidence(
            task,
            tuple(_trial(archive, parent, task) for parent in parents),
            _trial(archive, candidate, task),
        )
        for task in selected.tasks
    )


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


def _changes(archive: Archive, identity: str) -> tuple[Difference, ...]:
    candidate = archive.candidate(identity)
    parents = [archive.candidate(parent).artifact for parent in candidate.parents]
    found = [Change.between(parent, candidate.artifact) for parent in parents or [Artifact(())]]
    return tuple(Difference(file_changes(change), change.diff()) for change in found)

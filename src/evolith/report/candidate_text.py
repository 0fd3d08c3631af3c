"""One candidate on a terminal."""

from rich.console import Console
from rich.text import Text

from evolith.report.candidate import CandidateSheet, Evidence
from evolith.report.page import Page
from evolith.report.words import interval, line, named, percent, score

_FEEDBACK = 400
"""Characters of a feedback that are shown."""
_COLOURS = {"accepted": "green", "held": "cyan"}


def print_candidate(sheet: CandidateSheet, console: Console) -> None:
    """Print the sheet of a candidate, its whole diff included."""
    page = Page(console)
    outcomes = [proposal.outcome for proposal in sheet.decisions]
    outcome = "accepted" if "accepted" in outcomes else "".join(outcomes[:1])
    page.ends(Text(line(sheet.id), "bold"), Text(outcome, _COLOURS.get(outcome, "yellow")))
    if sheet.parents:
        origin = f"{sheet.operator}, {sheet.item}, from {named(sheet.parents)}"
        page.text(Text(line(origin), "dim"), 0)
    for decision in sheet.decisions:
        page.text(f"{decision.code}: {decision.reason}", 0)
    if sheet.became:
        page.text(f"replaced, since it was stale: {sheet.became} goes on in its place", 0)
    if sheet.rationale:
        page.heading("Why it was made")
        page.text(sheet.rationale)
    _scores(sheet, page)
    if sheet.made_of:
        page.heading("Made of")
        rows = [[part.id, part.operator, part.outcome, part.about] for part in sheet.made_of]
        page.table(["", "", "", "~"], rows)
    if sheet.evidence:
        after = "this candidate" if sheet.after == sheet.id else sheet.after
        page.heading("Minibatch", f"{_before(sheet.before)} before, {after} after")
        for evidence in sheet.evidence:
            _print_evidence(evidence, page)
    for against, change in sheet.changes:
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
    for decision in sheet.decisions:
        if decision.after is not None:
            before, after = score(decision.before), score(decision.after)
            rows.append(["minibatch", after, f"parent {before}", f"{len(sheet.evidence):,} tasks"])
    page.heading("Scores")
    page.table(["", ">", "", ">"], rows)
    if not rows:
        page.text("It was run on train tasks alone." if sheet.evidence else "It was not run.")


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

"""What a reader must know before trusting the figures of a report."""

from evolith.archive.archive import Archive
from evolith.core.candidate import SEED
from evolith.core.events import SessionEnded
from evolith.core.task import Split
from evolith.report.costs import Calls
from evolith.report.data import Flag, SplitReport
from evolith.report.descent import ancestors
from evolith.report.recorded import Recorded


def flags(
    archive: Archive, settings: Recorded, calls: Calls, splits: tuple[SplitReport, ...]
) -> tuple[Flag, ...]:
    """Return the flags of a run, the ones that touch the result first."""
    found = [
        _cut_short(archive),
        _selection(archive),
        _test(archive),
        _reopened(archive),
        *(_unscored(split) for split in splits),
        _revealed(settings),
        _shown(archive, settings.algorithm.demos.path),
        _exceeded(archive),
        _estimated(calls),
    ]
    return tuple(flag for flag in found if flag is not None)


def test_uses(archive: Archive) -> int:
    """Return how often the sealed test split was opened."""
    return max((opened.use for opened in archive.state.tests), default=0)


def _cut_short(archive: Archive) -> Flag | None:
    """Say that a budget ended the search, where there is a test score that could hide it."""
    state = archive.state
    end = state.sessions[-1][1] if state.tests and state.sessions else None
    reason = end.event.reason if end and isinstance(end.event, SessionEnded) else ""
    kind, _, limit = reason.partition(":")
    if kind != "budget":
        return None
    text = f"The budget of {limit} cut the run short: with more of it, the search may find more."
    return Flag("cut_short", text)


def _selection(archive: Archive) -> Flag | None:
    state = archive.state
    compared = sum(state.mean(c, Split.VAL) is not None for c in state.candidates)
    if compared < 2:  # noqa: PLR2004 - one score leaves nothing to choose
        return None
    chosen = (
        f"The champion was proved by comparisons of {compared} candidates on validation"
        if state.proved
        else f"The champion has the best validation score of {compared} candidates"
    )
    rest = " The test score is not touched by this." if state.tests else ""
    return Flag("selection", f"{chosen}, so that score is optimistic: some of it is luck.{rest}")


def _test(archive: Archive) -> Flag | None:
    state = archive.state
    if not state.run or not state.run.counts.get(Split.TEST):
        text = "There is no test split, so no score here is on tasks that were never used."
        return Flag("no_test", text)
    opened = [event.candidate for event in state.tests]
    if opened and state.champion not in opened:
        return Flag(
            "test_of_another",
            f"The sealed test was run for {opened[-1]}, before {state.champion} became champion.",
        )
    return None


def _reopened(archive: Archive) -> Flag | None:
    uses = test_uses(archive)
    if uses <= 1:
        return None
    return Flag(
        "test_reopened",
        f"The sealed test split was opened {uses} times. Whoever goes on after having seen a test"
        " score chooses by it, so later test scores are optimistic too.",
    )


def _unscored(split: SplitReport) -> Flag | None:
    missing = [
        f"{split.tasks - measured.tasks} of {split.tasks} {split.split} tasks have no score for"
        f" the {name}"
        for name, measured in (("seed", split.seed), ("champion", split.champion))
        if measured and measured.tasks < split.tasks
    ]
    if not missing:
        return None
    text = f"{' and '.join(missing)}: they failed or were not run. They are left out, never zeros."
    return Flag(f"unscored_{split.split}", text)


def _revealed(settings: Recorded) -> Flag | None:
    if not settings.reveals_answers:
        return None
    return Flag(
        "answers_revealed",
        "The scorer's feedback shows hidden answers of train tasks to the reflection model"
        " (reveal_answer = true).",
    )


def _shown(archive: Archive, path: str) -> Flag | None:
    """Count the demonstrations, one a line of the file at `path`, that the seed did not have."""
    champion = archive.state.champion
    line = ancestors(archive.state, champion or "")
    if champion is None or not any(archive.state.candidates[c].operator == "demos" for c in line):
        return None
    rows = _rows(archive, champion, path) - _rows(archive, SEED, path)
    if not rows:
        return None
    return Flag(
        "train_rows_shown",
        f"The champion's demonstrations show {len(rows)} train"
        f" {'row' if len(rows) == 1 else 'rows'} with their answers to the task model.",
    )


def _rows(archive: Archive, candidate: str, path: str) -> set[str]:
    text = archive.candidate(candidate).artifact.get(path) or ""
    return {row for row in text.split("\n") if row.strip()}


def _exceeded(archive: Archive) -> Flag | None:
    events = archive.state.exceeded
    if not events:
        return None
    worst = max(events, key=lambda e: e.tokens_in + e.tokens_out - e.reserved_in - e.reserved_out)
    return Flag(
        "usage_exceeded",
        f"{len(events):,} {'call' if len(events) == 1 else 'calls'} used more tokens than could be"
        f" reserved, so a budget may be passed by the calls under way: {worst.model} reported"
        f" {worst.tokens_in:,} + {worst.tokens_out:,} where at most {worst.reserved_in:,} +"
        f" {worst.reserved_out:,} were expected. See whether its server obeys max_tokens.",
    )


def _estimated(calls: Calls) -> Flag | None:
    count = sum(charge.estimated for charge in calls.roles.values())
    if not count:
        return None
    return Flag(
        "usage_estimated",
        f"For {count:,} {'call' if count == 1 else 'calls'} the tokens are estimated: the server"
        " did not say, or the call failed and may have been billed.",
    )

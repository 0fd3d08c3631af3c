"""How the work of an asynchronous run overlapped: stages, staleness, speculation, early ends."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from evolith.archive.archive import Archive
from evolith.archive.overlap import Overlap
from evolith.core.overlap import Pulsed, StagePulse
from evolith.report.codes import makes_candidates
from evolith.report.data import Proposal
from evolith.report.overlap_data import (
    Beat,
    CommitterReport,
    EarlyReport,
    FateReport,
    OverlapReport,
    SpeculationReport,
    StageReport,
)
from evolith.report.recorded import recorded


def overlap_report(archive: Archive, proposals: Sequence[Proposal]) -> OverlapReport | None:
    """Return how the work overlapped, or None for a synchronous run.

    Args:
        archive: The run.
        proposals: What was decided in it.
    """
    state, overlap = archive.state, archive.state.overlap
    if recorded(state).run.schedule != "async":
        return None
    pulses = overlap.pulses
    last = archive.store.find(pulses[-1].key) if pulses else None
    made = [p.staleness for p in proposals if makes_candidates(p.operator)]
    stages, committer = _stages(_session_ends(pulses))
    return OverlapReport(
        pulsed_at=last.at if last else None,
        stages=stages,
        committer=committer,
        beats=_beats(pulses),
        staleness=dict(sorted(Counter(s for s in made if s is not None).items())),
        stale=_fates(overlap),
        speculation=_speculation(overlap, proposals),
        early=_early(overlap),
    )


def _session_ends(pulses: Sequence[Pulsed]) -> list[Pulsed]:
    """Return the last pulse of each session: it counts from the session's start."""
    return list({pulse.number: pulse for pulse in pulses}.values())


def _stages(ends: Sequence[Pulsed]) -> tuple[tuple[StageReport, ...], CommitterReport | None]:
    if not ends:
        return (), None
    seconds = sum(end.seconds for end in ends)
    past: defaultdict[str, list[StagePulse]] = defaultdict(list)
    for end in ends:
        for stage in end.stages:
            past[stage.name].append(stage)
    *stages, commit = ends[-1].stages  # the committer comes last
    return (
        tuple(_stage(stage, past[stage.name], seconds) for stage in stages),
        CommitterReport(
            done=sum(pulse.done for pulse in past[commit.name]),
            wait_p50=commit.wait_p50,
            wait_p99=commit.wait_p99,
            waiting=commit.waiting,
            longest=max(pulse.longest for pulse in past[commit.name]),
        ),
    )


def _stage(now: StagePulse, past: Sequence[StagePulse], seconds: float) -> StageReport:
    begun = sum(pulse.arrived - pulse.waiting for pulse in past)
    return StageReport(
        name=now.name,
        workers=now.workers,
        busy=now.busy,
        done=sum(pulse.done for pulse in past),
        wait=sum(pulse.waited for pulse in past) / begun if begun else None,
        waiting=now.waiting,
        longest=max(pulse.longest for pulse in past),
        idle=min(1.0, sum(pulse.idle for pulse in past) / seconds) if seconds else None,
    )


def _beats(pulses: Sequence[Pulsed]) -> tuple[Beat, ...]:
    beats, before, begun = list[Beat](), 0.0, 0.0
    for place, pulse in enumerate(pulses):
        if place and pulse.number != pulses[place - 1].number:
            begun = before
        before = begun + pulse.seconds
        waiting = tuple(stage.waiting for stage in pulse.stages)
        beats.append(Beat(before, waiting, tuple(stage.busy for stage in pulse.stages)))
    return tuple(beats)


def _fates(overlap: Overlap) -> tuple[FateReport, ...]:
    items = Counter(event.fate for event in overlap.stale.values())
    tokens: Counter[str] = Counter()
    for event in overlap.stale.values():
        tokens[event.fate] += event.tokens
    return tuple(FateReport(fate, count, tokens[fate]) for fate, count in items.most_common())


def _speculation(overlap: Overlap, proposals: Sequence[Proposal]) -> SpeculationReport:
    outcomes = [overlap.outcomes[c] for c in overlap.speculated if c in overlap.outcomes]
    confirmed = outcomes.count("accepted")
    return SpeculationReport(
        handed=len(overlap.handed),
        tentative=len(overlap.speculated),
        confirmed=confirmed,
        retracted=len(outcomes) - confirmed,
        fallen=sum(proposal.code == "retracted" for proposal in proposals),
    )


def _early(overlap: Overlap) -> EarlyReport:
    saved = [event.total - event.back for event in overlap.stopped.values()]
    early = [count for count in saved if count > 0]
    return EarlyReport(len(early), sum(early))

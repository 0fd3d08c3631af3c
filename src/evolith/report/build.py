"""Makes the report of a run from its archive."""

from shlex import quote

from evolith.archive.archive import Archive
from evolith.archive.state import State
from evolith.core.events import SessionEnded
from evolith.core.task import Split
from evolith.report.costs import read_calls, run_cost
from evolith.report.data import FORMAT, Report, RunState
from evolith.report.flags import flags, test_uses
from evolith.report.lineage import curve, difference, nodes, proposals
from evolith.report.overlap import overlap_report
from evolith.report.pace import pace
from evolith.report.recorded import recorded
from evolith.report.splits import claim, split_report

_SENTENCES = {
    "finished": "finished",
    "drained": "stopped on request",
    "aborted": "stopped at once on request",
    "provider": "stopped: a model's server refuses the run",
    "error": "stopped by an error",
}


def build_report(archive: Archive, folder: str = "DIR") -> Report:
    """Say everything that is known of a run. The same archive always gives the same report.

    Args:
        archive: The run; it may still be at work.
        folder: How the commands in the report name the run.
    """
    state = archive.state
    settings, calls = recorded(state), read_calls(archive)
    splits = tuple(split_report(state, split, calls) for split in (Split.VAL, Split.TEST))
    place = quote(folder)
    standing, tried = run_state(state, place), proposals(state)
    return Report(
        format=FORMAT,
        name=state.run.name if state.run else "",
        folder=place,
        seed=settings.seed,
        algorithm=settings.algorithm.kind,
        schedule=settings.schedule,
        tasks=state.run.tasks if state.run else "",
        state=standing,
        champion=state.champion,
        claim=claim(state),
        val=splits[0],
        test=splits[1],
        test_uses=test_uses(archive),
        test_note=_test_note(archive, standing),
        flags=flags(archive, settings, calls, splits),
        cost=run_cost(state, calls),
        pace=pace(state, tried),
        overlap=overlap_report(archive, tried),
        proposals=tried,
        under_way=len(state.selected.keys() - state.decided.keys()),
        curve=curve(archive),
        lineage=nodes(state),
        change=difference(archive),
    )


def run_state(state: State, folder: str) -> RunState:
    """Return where a run stands and how to go on with it.

    Args:
        state: The run.
        folder: The run's folder as a shell takes it.
    """
    last = state.sessions[-1][1] if state.sessions else None
    ended = last.event if last and isinstance(last.event, SessionEnded) else None
    finished = ended is not None and ended.reason == "finished"
    return RunState(
        status="finished" if finished else "stopped" if ended else "open",
        reason=ended.reason if ended else "",
        sentence=_sentence(ended) if ended else "not ended: it is at work, or was killed",
        resume=None if finished else f"evolith resume {folder}",
        sessions=len(state.sessions),
        killed=sum(end is None for _, end in state.sessions[:-1]),
        seconds=state.seconds,
    )


def _sentence(ended: SessionEnded) -> str:
    kind, _, limit = ended.reason.partition(":")
    if kind == "budget":
        return f"stopped: the budget of {limit} is used up"
    sentence = _SENTENCES.get(kind, f"stopped: {ended.reason}")
    detail = f" ({ended.message})" if kind in {"provider", "error"} and ended.message else ""
    return f"{sentence}{detail}"


def _test_note(archive: Archive, standing: RunState) -> str:
    uses = test_uses(archive)
    if uses:
        return "opened once, at the end" if uses == 1 else f"opened {uses} times"
    if not archive.state.run or not archive.state.run.counts.get(Split.TEST):
        return "there is none in this run"
    if standing.status == "finished":
        return "not opened, although the run finished"
    return "not opened, since the run has not come to its end"

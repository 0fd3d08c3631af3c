"""Start or resume a run, and bring the session to an orderly end."""

import math
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import anyio

from evolith.archive.archive import Archive, Watch
from evolith.archive.sql import SqlStore
from evolith.config import RunConfig
from evolith.core.events import SessionEnded, SessionStarted
from evolith.engine.stop import Stop
from evolith.errors import BudgetExceeded, EvolithError, ProviderError, RunStopped
from evolith.session.aside import missing_test_rollouts, seconds_exceeded
from evolith.session.outcome import Outcome
from evolith.session.project import require
from evolith.session.setup import (
    Materials,
    Parts,
    assemble,
    check_basis,
    dump_settings,
    fingerprint,
    gather,
    load_settings,
)
from evolith.session.terms import Terms
from evolith.session.work import Work
from evolith.testing.memory import MemoryStore

CLOSING = 0.2
"""Seconds of the wall-time budget that are left for the orderly end."""


async def start(
    config: RunConfig, run_dir: Path, *, watch: Watch | None = None, stop: Stop | None = None
) -> Outcome:
    """Begin a run in a new folder and work on it as far as its budget goes.

    Args:
        config: What to do.
        run_dir: The run's folder; made here.
        watch: Called after each recorded event.
        stop: Through which the run can be asked to stop.

    Raises:
        UsageError: a setting, the seed or a task file is wrong; nothing was written.
        ArchiveError: the folder cannot be used.
        ProviderError: a provider refuses the run; it can be resumed.
    """
    return await begin(gather(config), run_dir, watch=watch, stop=stop)


async def begin(
    materials: Materials, run_dir: Path, *, watch: Watch | None = None, stop: Stop | None = None
) -> Outcome:
    """Begin a run whose parts are built already; otherwise as `start`."""
    # On an archive in memory first: what is wrong must be known before the folder is made.
    assemble(materials, Archive(MemoryStore(), time.time))
    parts = assemble(materials, Archive(SqlStore.create(run_dir), time.time))
    return await work_on(parts, run_dir, watch, stop or Stop())


async def resume(
    run_dir: Path,
    *,
    terms: Terms | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> Outcome:
    """Go on with a run exactly where it stopped; recorded calls are not paid again.

    Args:
        run_dir: The run's folder.
        terms: What is to be different from now on; nothing unless given.
        watch: Called after each recorded event.
        stop: Through which the run can be asked to stop.

    Raises:
        UsageError: the folder is no run, its settings or task files have changed, or a limit is
            passed already.
        ArchiveError: another process works on it, or it is damaged.
        ProviderError: a provider refuses the run; it can be resumed.
    """

    def materials(archive: Archive) -> Materials:
        now = terms or Terms()
        now.check(archive.state)
        config = now.of(load_settings(archive, run_dir))
        require(config)
        return gather(config)

    return await carry_on(materials, run_dir, watch=watch, stop=stop)


async def carry_on(
    materials: Callable[[Archive], Materials],
    run_dir: Path,
    *,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> Outcome:
    """Go on with a run whose parts `materials` builds; otherwise as `resume`."""
    store = SqlStore.open(run_dir)
    try:
        archive = Archive(store, time.time)
        parts = assemble(materials(archive), archive)
        check_basis(parts)
    except BaseException:
        store.close()
        raise
    return await work_on(parts, run_dir, watch, stop or Stop())


async def work_on(parts: Parts, run_dir: Path, watch: Watch | None, stop: Stop) -> Outcome:
    """Work, and record how the session began and ended, whatever happens in between.

    Args:
        parts: The working parts; their models and their store are closed at the end.
        run_dir: The run's folder, for the outcome.
        watch: Called after each recorded event.
        stop: Through which the run can be asked to stop.

    Raises:
        ArchiveError: something cannot be recorded.
        ProviderError: a provider refuses the run.
        UserCodeFailed: the agent or the scorer fails on everything.
    """
    archive, started = parts.archive, anyio.current_time()
    archive.watch = watch
    reason, message, error = "error", "", None
    try:
        await archive.append(
            SessionStarted(
                number=parts.number,
                version=version("evolith"),
                settings=dump_settings(parts.config, run_dir),
                fingerprint=fingerprint(),
            )
        )
        await parts.gateway.charge_lost()
        parts.ledger.spent = archive.state.total
        try:
            reason, message = await _work(parts, stop)
        except EvolithError as raised:
            reason, message, error = _reason(raised), str(raised), raised
        seconds = anyio.current_time() - started
        with anyio.CancelScope(shield=True):
            await archive.append(
                SessionEnded(number=parts.number, reason=reason, message=message, seconds=seconds)
            )
    finally:
        with anyio.CancelScope(shield=True):
            await parts.aclose()
        archive.store.close()
    if error is not None:
        raise error
    return Outcome(run_dir, reason, message, _complete(parts))


async def _work(parts: Parts, stop: Stop) -> tuple[str, str]:
    """Return why the work ended, as a name and as a sentence."""
    budget = parts.config.budget.budget()
    deadline = math.inf
    if budget.seconds is not None:
        left = budget.seconds - parts.archive.state.seconds - CLOSING
        deadline = anyio.current_time() + left
    work = Work(parts, budget, deadline)
    reason, message = "aborted", "stopped at once; calls under way are lost"
    with stop.bind(parts.ledger), anyio.CancelScope(deadline=deadline) as clock:
        reason, message = await _steps(work)
    if clock.cancelled_caught:
        spent = seconds_exceeded(budget)
        reason, message = _reason(spent), spent.message
    return reason, message


async def _steps(work: Work) -> tuple[str, str]:
    try:
        await work.begin()
        await work.seed()
        reason, message = "finished", await work.search()
    except RunStopped as stopped:
        reason, message = _reason(stopped), stopped.message
    if reason != "drained":
        try:
            await work.claim()
            await work.test()
        except RunStopped as stopped:
            reason, message = _reason(stopped), stopped.message
    return reason, message


def _reason(error: EvolithError) -> str:
    if isinstance(error, BudgetExceeded):
        return error.where.replace("budget.", "budget:")
    if isinstance(error, RunStopped):
        return "drained"
    return "provider" if isinstance(error, ProviderError) else "error"


def _complete(parts: Parts) -> bool:
    return parts.archive.state.champion is not None and missing_test_rollouts(parts) == 0

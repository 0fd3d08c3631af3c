"""Runs candidates on tasks: finds what is recorded, runs the rest side by side, records it."""

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskGroup

from evolith.archive.archive import Archive, dump_trajectory
from evolith.core.budget import Amount
from evolith.core.candidate import SEED, Candidate
from evolith.core.events import RolloutEnded
from evolith.core.messages import Role
from evolith.core.ports import Agent, Scorer
from evolith.core.rollout import Failure, Rollout, Trajectory
from evolith.core.score import Score
from evolith.core.task import Split, Task
from evolith.engine.pipeline import HALTING
from evolith.engine.places import Places
from evolith.errors import (
    Boundary,
    ModelFailure,
    ProviderError,
    RefusedRequest,
    TruncatedResponse,
    UserCodeFailed,
)
from evolith.models.gateway import Gateway

ATTEMPTS = 3
"""A rollout that gave no score is begun again when its score is needed again, this often in a
session; a later session tries anew, since the cause may have been mended."""
STREAK = 8
"""So many provider failures in a row, with no success between, end the run: nobody answers."""

Look = Callable[[Sequence[Rollout]], Awaitable[bool]]
"""Sees the rollouts that are back, and says whether they are enough."""


@dataclass(slots=True)
class Runner:
    """Runs rollouts, at most `workers` at once over the whole run.

    Args:
        archive: Where rollouts are found and recorded.
        gateway: Through which agents and scorers call models.
        agent: How an artifact is run.
        scorer: How a trajectory is judged.
        workers: Most rollouts at once.
        clock: Returns monotonic seconds.
        recorded_only: Whether nothing new is begun, as in a replay: what is missing is left out.
    """

    archive: Archive
    gateway: Gateway
    agent: Agent
    scorer: Scorer
    workers: int
    clock: Callable[[], float]
    recorded_only: bool = False
    background: TaskGroup | None = None
    """Where rollouts go on that nobody waits for any more; None outside a search."""
    _places: Places = field(init=False)
    _streak: int = 0
    _failures: Counter[tuple[str, str]] = field(default_factory=Counter)
    _running: dict[tuple[str, str, int], anyio.Event] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._places = Places(self.workers)

    async def evaluate(
        self,
        candidate: Candidate,
        tasks: Sequence[Task],
        split: Split,
        attempts: int = 1,
        *,
        look: Look | None = None,
        urgent: bool = False,
    ) -> list[Rollout]:
        """Return the rollouts of a candidate on tasks, in the order of the tasks.

        What is recorded with a score is not run again. Nothing is begun unless the rollout budget
        holds all that is missing.

        Args:
            candidate: What to run.
            tasks: On what, in the order of beginning.
            split: The split that the tasks belong to.
            attempts: Scored rollouts wanted for each task.
            look: Sees what is back after each rollout; once it says that this is enough, nothing
                more is begun, and only what is back is returned.
            urgent: Whether these rollouts go before others that wait for a place.

        Raises:
            RunStopped: a budget does not hold the step, or the run is being stopped.
            ProviderError: the provider refuses the run, or nobody has answered for a while.
            ArchiveError: something cannot be recorded.
        """
        tried: dict[str, list[int]] = defaultdict(list)
        for name, attempt in sorted(self.archive.state.rollouts.get((candidate.id, split), {})):
            tried[name].append(attempt)
        slots = [
            (task, self._slots(candidate, task, split, attempts, tried[task.id])) for task in tasks
        ]
        batch = _Batch(look)
        missing: list[_Place] = []
        for task, row in slots:
            for attempt, rollout in row.items():
                if rollout is None:
                    missing.append(_Place(candidate, task, split, attempt))
                else:
                    await batch.add(rollout)
        await self._begin(missing, batch, urgent=urgent)
        if batch.halted is not None:
            raise batch.halted
        keys = ((task.id, attempt) for task, row in slots for attempt in row)
        return [batch.done[key] for key in keys if key in batch.done]

    async def _begin(self, missing: Sequence["_Place"], batch: "_Batch", *, urgent: bool) -> None:
        if not missing:
            return
        self.gateway.ledger.require(Amount(rollouts=len(missing)))
        todo = iter(missing)
        if len(missing) == 1:  # the usual case where tasks are looked at one by one
            await self._work(todo, batch, urgent)
            return
        async with anyio.create_task_group() as group:
            for _ in range(min(len(missing), self.workers)):
                group.start_soon(self._work, todo, batch, urgent)

    async def _work(self, todo: Iterator["_Place"], batch: "_Batch", urgent: bool) -> None:  # noqa: FBT001 - started by a group
        while not batch.enough and batch.halted is None:
            await self._places.acquire(urgent=urgent)
            try:
                place = next(todo, None)
                if place is None:
                    return
                await batch.add(await self._once(place))
            except HALTING as error:
                batch.halted = error
            finally:
                self._places.release()

    def recorded(self, candidate: Candidate, tasks: Sequence[Task], split: Split) -> list[Rollout]:
        """Return what is recorded of a candidate on tasks: of each the first rollout with a score.

        Where none has one it is the last; a task that was never run is left out.
        """
        rows = self.archive.state.rollouts.get((candidate.id, split), {})
        found: list[Rollout] = []
        for task in tasks:
            tried = sorted(attempt for name, attempt in rows if name == task.id)
            scored = [attempt for attempt in tried if rows[task.id, attempt].value is not None]
            if tried:
                attempt = (scored or tried[-1:])[0]
                found.append(self._recorded(candidate, task, split, attempt))
        return found

    async def repeat(self, candidate: Candidate, task: Task, split: Split, attempt: int) -> None:
        """Run one rollout that a recording holds, and record it here.

        Raises:
            RunStopped: the recording does not hold its calls.
        """
        with suppress(ProviderError, UserCodeFailed):  # it ended the run then; the rollout is there
            await self._once(_Place(candidate, task, split, attempt))

    def _slots(
        self, candidate: Candidate, task: Task, split: Split, attempts: int, tried: Sequence[int]
    ) -> dict[int, Rollout | None]:
        """Return the attempts to use: recorded ones with a score first, then new ones."""
        rows = self.archive.state.rollouts.get((candidate.id, split), {})
        scored = [a for a in tried if rows[task.id, a].value is not None][:attempts]
        slots: dict[int, Rollout | None] = {
            attempt: self._recorded(candidate, task, split, attempt) for attempt in scored
        }
        if self.recorded_only:
            last = tried[-1:] if not scored else []
            slots.update((a, self._recorded(candidate, task, split, a)) for a in last)
            return slots
        following = tried[-1] + 1 if tried else 0
        wanted = attempts - len(scored)
        if wanted and self._failures[candidate.id, task.id] >= ATTEMPTS:
            # Given up: the last failure stands.
            slots[tried[-1]] = self._recorded(candidate, task, split, tried[-1])
            return slots
        slots.update(dict.fromkeys(range(following, following + wanted)))
        return slots

    def _recorded(self, candidate: Candidate, task: Task, split: Split, attempt: int) -> Rollout:
        event = self.archive.rollout(candidate.id, task.id, attempt)
        assert event is not None
        score = failure = None
        if event.value is not None:
            score = Score(event.value, bool(event.passed), event.feedback)
        else:
            failure = Failure(event.boundary or Boundary.HARNESS, event.message)
        cost = Amount(event.tokens_in, event.tokens_out, event.money, 1, event.calls)
        trajectory = self.archive.trajectory(event)
        return Rollout(candidate.id, task.id, split, attempt, trajectory, score, failure, cost)

    async def _once(self, place: "_Place") -> Rollout:
        """Run a rollout, or wait for another item that runs the same one just now."""
        key = (place.candidate.id, place.task.id, place.attempt)
        while (running := self._running.get(key)) is not None:
            await running.wait()
        if self.archive.rollout(*key) is not None:
            return self._recorded(place.candidate, place.task, place.split, place.attempt)
        self.gateway.ledger.take(Amount(rollouts=1))
        self._running[key] = anyio.Event()
        try:
            rollout = await self._roll(place)
            await self._record(rollout)
        finally:
            self._running.pop(key).set()
        return rollout

    async def _roll(self, place: "_Place") -> Rollout:
        scope = f"rollout/{place.candidate.id}/{place.task.id}/{place.attempt}"
        chat = self.gateway.line(Role.TASK, scope)
        judge = self.gateway.line(Role.JUDGE, scope)
        start = self.clock()
        trajectory, score, failure = None, None, None
        try:
            trajectory = await self.agent.run(place.candidate.artifact, place.task.sealed(), chat)
        except (TruncatedResponse, RefusedRequest) as error:
            # The candidate asked for too much or said too much: that is an answer, a wrong one.
            trajectory = Trajectory("")
            score = Score(0.0, passed=False, feedback=f"There is no answer: {error.message}.")
        except Exception as error:  # noqa: BLE001 - see _failure
            failure = _failure(error, Boundary.HARNESS)
        if trajectory is not None and score is None:
            try:
                score = await self.scorer.score(place.task, trajectory, judge)
            except Exception as error:  # noqa: BLE001 - see _failure
                failure = _failure(error, Boundary.SCORER)
        for line in (chat, judge):
            if line.halted is not None:  # also when the user's code caught it
                raise line.halted
        return Rollout(
            place.candidate.id,
            place.task.id,
            place.split,
            place.attempt,
            trajectory,
            score,
            failure,
            chat.cost + judge.cost + Amount(rollouts=1),
            self.clock() - start,
        )

    async def _record(self, rollout: Rollout) -> None:
        text, digest = (
            (None, None) if rollout.trajectory is None else dump_trajectory(rollout.trajectory)
        )
        score, failure = rollout.score, rollout.failure
        event = RolloutEnded(
            candidate=rollout.candidate,
            task=rollout.task,
            split=rollout.split,
            attempt=rollout.attempt,
            output=digest,
            value=None if score is None else score.value,
            passed=None if score is None else score.passed,
            feedback="" if score is None else score.feedback,
            boundary=None if failure is None else failure.boundary,
            message="" if failure is None else failure.message,
            tokens_in=rollout.cost.tokens_in,
            tokens_out=rollout.cost.tokens_out,
            money=rollout.cost.money,
            calls=rollout.cost.calls,
        )
        blobs = [] if text is None else [text]
        await self.archive.append(event, blobs=blobs, seconds=rollout.seconds)
        self._count(rollout)

    def _count(self, rollout: Rollout) -> None:
        """End a run in which nothing works: no answers, or a seed that nobody can judge."""
        failure = rollout.failure
        self._failures[rollout.candidate, rollout.task] += failure is not None
        ours = rollout.candidate == SEED or (failure and failure.boundary is Boundary.PROVIDER)
        if failure is None or not ours:
            self._streak = 0
            return
        self._streak += 1
        if self._streak < STREAK:
            return
        said = f"{self._streak} rollouts in a row failed; the last with: {failure.message}"
        if failure.boundary is Boundary.PROVIDER:
            fix = "see that the server answers (evolith doctor), then resume the run"
            raise ProviderError(said, where="models", fix=fix)
        part = "scorer" if failure.boundary is Boundary.SCORER else "agent"
        raise UserCodeFailed(said, where=part, fix=f"mend the {part}, then resume the run")


@dataclass(frozen=True, slots=True)
class _Place:
    candidate: Candidate
    task: Task
    split: Split
    attempt: int


@dataclass(slots=True)
class _Batch:
    """What came of the rollouts of one evaluation so far."""

    look: Look | None
    done: dict[tuple[str, int], Rollout] = field(default_factory=dict)
    halted: Exception | None = None
    enough: bool = False

    async def add(self, rollout: Rollout) -> None:
        self.done[rollout.task, rollout.attempt] = rollout
        if self.look is not None and not self.enough:
            self.enough = await self.look(tuple(self.done.values()))


def _failure(error: Exception, boundary: Boundary) -> Failure:
    """Attribute an exception of user code or of a model to one boundary.

    Raises:
        Exception: the error itself, when it concerns the run and not the rollout.
    """
    if isinstance(error, HALTING):
        raise error
    if isinstance(error, ModelFailure):
        return Failure(Boundary.PROVIDER, error.message)
    text = str(error).strip().splitlines()
    return Failure(boundary, f"{type(error).__name__}: {text[0] if text else 'no message'}")

"""What the events of a run add up to. Folded from the log, never written."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from sys import intern
from typing import NamedTuple

from evolith.archive.charges import CallFigures, Charges
from evolith.archive.overlap import Overlap
from evolith.core.budget import Amount
from evolith.core.candidate import SEED
from evolith.core.events import (
    PROVED,
    AnyEvent,
    Called,
    CallLost,
    CandidateAdded,
    Decided,
    RolloutEnded,
    RunCreated,
    Selected,
    SessionEnded,
    SessionStarted,
    TestOpened,
    UsageExceeded,
)
from evolith.core.messages import Role
from evolith.core.task import Split
from evolith.errors import Boundary


class Entry(NamedTuple):
    """An event with when it was recorded and how long it took.

    Args:
        event: What happened.
        at: Seconds since the epoch.
        seconds: Duration of what the event describes, for a call or a rollout.
    """

    event: AnyEvent
    at: float
    seconds: float = 0.0


class RolloutRow(NamedTuple):
    """A rollout without its texts, which stay in the store. A tuple, since a run has very many."""

    candidate: str
    task: str
    split: Split
    attempt: int
    value: float | None
    passed: bool | None
    boundary: Boundary | None
    tokens_in: int
    tokens_out: int
    money: Decimal
    calls: int
    seconds: float

    @property
    def cost(self) -> Amount:
        """What the rollout cost."""
        return Amount(self.tokens_in, self.tokens_out, self.money, 1, self.calls)


@dataclass(frozen=True, slots=True)
class Point:
    """The best validation score at the moment of a decision: a point of the score curve."""

    order: int
    """Decisions made."""
    seconds: float
    """Work time of the run, sessions added up."""
    rollouts: int
    tokens: int
    money: Decimal
    val: float
    candidate: str


@dataclass(slots=True)
class State:
    """The run as it stands. Events are the only way to change it."""

    run: RunCreated | None = None
    candidates: dict[str, CandidateAdded] = field(default_factory=dict)
    artifacts: dict[str, str] = field(default_factory=dict)
    """By blob of an artifact, the first candidate that was it."""
    evaluated: dict[str, tuple[int, str]] = field(default_factory=dict)
    """By blob of an artifact whose validation score is known: the order of the first decision about
    it, and its candidate."""
    pool: list[str] = field(default_factory=list)
    """Ids of accepted candidates in the order of acceptance, the seed first."""
    rollouts: dict[tuple[str, Split], dict[tuple[str, int], RolloutRow]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """By (candidate, split), then by (task, attempt)."""
    selected: dict[str, Selected] = field(default_factory=dict)
    decided: dict[str, Decided] = field(default_factory=dict)
    """By item, in the order of decision."""
    tests: list[TestOpened] = field(default_factory=list)
    sessions: list[tuple[Entry, Entry | None]] = field(default_factory=list)
    """Start and end of each session; a killed session has no end."""
    charges: Charges = field(default_factory=Charges)
    """What was charged for calls."""
    lost: Amount = field(default_factory=Amount)
    """The part of `spent` that went for tries without an answer."""
    exceeded: list[UsageExceeded] = field(default_factory=list)
    """Calls of which more was reported than they could have used."""
    rollouts_done: int = 0
    curve: list[Point] = field(default_factory=list)
    """One point a new champion."""
    latest: Point | None = None
    """The moment of the last decision; None while there is no champion."""
    tries: Counter[str] = field(default_factory=Counter)
    """How often each candidate was selected as a parent."""
    turns: Counter[str] = field(default_factory=Counter)
    """The same, without selections that left the component to the operator."""
    merges: set[tuple[str, str, str]] = field(default_factory=set)
    """Pairs of parents that a merge was tried on, with the ancestor."""
    merged: int = 0
    """Accepted merges."""
    proved: str | None = None
    """The candidate that was last accepted by a direct comparison with the champion."""
    repeats: int = 0
    """Rollouts that repeat an earlier one."""
    unstable: int = 0
    """Of these, how many gave another score than the first."""
    chosen_by: int = 0
    """Validation rollouts that the champion had at the last decision: later ones chose nothing."""
    overlap: Overlap = field(default_factory=Overlap)
    """What the events of overlapping work add up to."""
    last: tuple[str, str] = ("", "")
    """Operator and outcome of the last decision."""
    _past_seconds: float = 0.0
    _session_start: float = 0.0
    _last_at: float = 0.0
    _values: dict[tuple[str, Split], dict[str, float]] = field(default_factory=dict, compare=False)
    """What was derived from rollouts, for as long as no further one ends: see `_add_rollout`."""
    _means: dict[tuple[str, Split], float] = field(default_factory=dict, compare=False)
    _accepted: set[str] = field(default_factory=set, compare=False)
    _champion: tuple[str, float] | None = field(default=None, compare=False)
    """The champion with its mean; None where it must be looked for in the whole pool."""

    @property
    def version(self) -> int:
        """Accepted changes so far."""
        return max(0, len(self.pool) - 1)

    @property
    def commits(self) -> int:
        """Decisions so far."""
        return len(self.decided)

    @property
    def spent(self) -> dict[Role, Amount]:
        """What was charged, by role."""
        return {role: charge.amount for role, charge in self.charges.roles.items()}

    @property
    def total(self) -> Amount:
        """Everything that was charged, rollouts included."""
        return sum(self.spent.values(), start=Amount(rollouts=self.rollouts_done))

    @property
    def seconds(self) -> float:
        """Work time of all sessions, up to the last event."""
        return self._past_seconds + max(0.0, self._last_at - self._session_start)

    def values(self, candidate: str, split: Split) -> Mapping[str, float]:
        """Return the mean score of each task over its attempts, failures left out.

        In the order of the task ids, since operators draw from it and the order in which rollouts
        ended must not matter.
        """
        known = self._values.get((candidate, split))
        if known is None:
            found: dict[str, list[float]] = defaultdict(list)
            for (task, _), row in self.rollouts.get((candidate, split), {}).items():
                if row.value is not None:
                    found[task].append(row.value)
            known = {task: sum(scores) / len(scores) for task, scores in sorted(found.items())}
            self._values[candidate, split] = known
        return known

    def mean(self, candidate: str, split: Split) -> float | None:
        """Return the mean over the tasks of a split, or None where nothing was scored."""
        mean = self._means.get((candidate, split))
        if mean is None and (values := self.values(candidate, split)):
            mean = self._means[candidate, split] = sum(values.values()) / len(values)
        return mean

    @property
    def champion(self) -> str | None:
        """The pool member that was proved last, else that with the best mean on validation.

        The earliest of equals; the first of the pool while none has a score.
        """
        if self.proved is not None:
            return self.proved
        if self._champion is None:
            for candidate in self.pool:
                self._compete(candidate)
        if self._champion is None:
            return self.pool[0] if self.pool else None
        return self._champion[0]

    def _compete(self, candidate: str) -> None:
        mean = self.mean(candidate, Split.VAL)
        if mean is not None and (self._champion is None or mean > self._champion[1]):
            self._champion = (candidate, mean)

    def apply(self, entry: Entry) -> None:
        """Take in one more event."""
        event, at, seconds = entry
        # Nearly all events are of two kinds, and their classes take long to tell apart.
        if event.kind == "call":
            self.add_call(event, at, seconds)
        elif event.kind == "rollout":
            self.add_rollout(_row(event, seconds), at)
        else:
            if event.kind != "session_started":
                self._last_at = max(self._last_at, at)
            self._apply_rare(entry)

    def add_call(self, call: CallFigures, at: float, seconds: float) -> None:
        """Take in a call, of which this is all that is added up.

        Args:
            call: The event, or what was read of it.
            at: When it was recorded.
            seconds: How long it took.
        """
        self._last_at = max(self._last_at, at)
        self.charges.call(call, seconds)

    def add_rollout(self, row: RolloutRow, at: float) -> None:
        """Take in a rollout.

        Args:
            row: What is kept of it.
            at: When it was recorded.
        """
        self._last_at = max(self._last_at, at)
        key = (row.candidate, row.split)
        rows = self.rollouts[key]
        rows[row.task, row.attempt] = row
        self.rollouts_done += 1
        if row.attempt and row.value is not None:
            first = rows.get((row.task, 0))
            self.repeats += 1
            self.unstable += first is not None and first.value not in (None, row.value)
        if self._values.pop(key, None) is not None:
            self._means.pop(key, None)
            if row.candidate in self._accepted and row.split is Split.VAL:
                self._champion = None

    def _apply_rare(self, entry: Entry) -> None:
        match entry.event:
            case RunCreated():
                self.run = entry.event
            case CandidateAdded():
                self.candidates[entry.event.id] = entry.event
                self.artifacts.setdefault(entry.event.artifact, entry.event.id)
            case Selected():
                self._select(entry.event)
            case Decided():
                self._decide(entry.event)
            case TestOpened():
                self.tests.append(entry.event)
            case SessionStarted() | SessionEnded():
                self._session(entry)
            case CallLost():
                self.charges.lose(entry.event)
                self.lost += _amount(entry.event)
            case UsageExceeded():
                self.exceeded.append(entry.event)
            case _:
                self.overlap.apply(entry.event, None)

    def _select(self, event: Selected) -> None:
        self.selected[event.item] = event
        self.tries.update(event.parents)
        if event.components:
            self.turns.update(event.parents)
        if event.ancestor:
            self.merges.add((event.parents[0], event.parents[1], event.ancestor))

    def _decide(self, event: Decided) -> None:
        self.decided[event.item] = event
        accepted = event.verdict.outcome == "accepted"
        operator = self.selected[event.item].operator if event.item in self.selected else SEED
        self.last = (operator, event.verdict.outcome)
        added = self.candidates.get(event.candidate or "")
        if added is not None and event.val is not None:
            self.evaluated.setdefault(added.artifact, (event.order, added.id))
        self.merged += self.last == ("merge", "accepted")
        if accepted and event.candidate is not None:
            self.pool.append(event.candidate)
            self._accepted.add(event.candidate)
            if event.verdict.code == PROVED:
                self.proved = event.candidate
            if self._champion is not None:
                self._compete(event.candidate)
        self._mark(event.order, accepted=accepted)
        self.chosen_by = len(self.rollouts.get((self.champion or "", Split.VAL), ()))
        self.overlap.apply(event, self.champion)

    def _mark(self, order: int, *, accepted: bool) -> None:
        """Note the moment of a decision, as a point of the curve where the champion is new."""
        champion = self.champion
        if champion is None:
            return
        val, total = self.mean(champion, Split.VAL) or 0.0, self.total
        self.latest = Point(
            order, self.seconds, total.rollouts, total.tokens, total.money, val, champion
        )
        if accepted and (not self.curve or self.curve[-1].candidate != champion):
            self.curve.append(self.latest)

    def _session(self, entry: Entry) -> None:
        if isinstance(entry.event, SessionStarted):
            if self.sessions and self.sessions[-1][1] is None:  # that one was killed
                self._past_seconds += max(0.0, self._last_at - self._session_start)
            self.sessions.append((entry, None))
            self._session_start = self._last_at = entry.at
        elif isinstance(entry.event, SessionEnded) and self.sessions:
            self.sessions[-1] = (self.sessions[-1][0], entry)
            self._past_seconds += entry.event.seconds
            self._session_start = self._last_at = entry.at


def _row(event: RolloutEnded, seconds: float) -> RolloutRow:
    return RolloutRow(
        intern(event.candidate),  # one copy for all rows
        intern(event.task),
        event.split,
        event.attempt,
        event.value,
        event.passed,
        event.boundary,
        event.tokens_in,
        event.tokens_out,
        event.money,
        event.calls,
        seconds,
    )


def _amount(event: Called | CallLost) -> Amount:
    return Amount(event.tokens_in, event.tokens_out, event.money, 0, 1)

"""What the events of a run add up to. Folded from the log, never written."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from evolith.core.budget import Amount
from evolith.core.events import (
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
)
from evolith.core.messages import Role
from evolith.core.task import Split
from evolith.errors import Boundary


@dataclass(frozen=True, slots=True)
class Entry:
    """An event with when it was recorded and how long it took.

    Args:
        event: What happened.
        at: Seconds since the epoch.
        seconds: Duration of what the event describes, for a call or a rollout.
    """

    event: AnyEvent
    at: float
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RolloutRow:
    """A rollout without its texts, which stay in the store."""

    candidate: str
    task: str
    split: Split
    attempt: int
    value: float | None
    passed: bool | None
    boundary: Boundary | None
    cost: Amount
    seconds: float


@dataclass(frozen=True, slots=True)
class Point:
    """The best validation score at one moment: a point of the score curve."""

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
    """The run as it stands. `apply` is the only way to change it."""

    run: RunCreated | None = None
    candidates: dict[str, CandidateAdded] = field(default_factory=dict)
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
    spent: dict[Role, Amount] = field(default_factory=lambda: defaultdict(Amount))
    """What was charged, by role."""
    role_seconds: dict[Role, float] = field(default_factory=lambda: defaultdict(float))
    """Time that calls took, by role, added up over workers."""
    lost: Amount = field(default_factory=Amount)
    """The part of `spent` that was under way when a process died."""
    rollouts_done: int = 0
    curve: list[Point] = field(default_factory=list)
    _past_seconds: float = 0.0
    _session_start: float = 0.0
    _last_at: float = 0.0

    @property
    def version(self) -> int:
        """Accepted changes so far."""
        return max(0, len(self.pool) - 1)

    @property
    def commits(self) -> int:
        """Decisions so far."""
        return len(self.decided)

    @property
    def total(self) -> Amount:
        """Everything that was charged, rollouts included."""
        total = Amount(rollouts=self.rollouts_done)
        for amount in self.spent.values():
            total += amount
        return total

    @property
    def seconds(self) -> float:
        """Work time of all sessions, up to the last event."""
        return self._past_seconds + max(0.0, self._last_at - self._session_start)

    def values(self, candidate: str, split: Split) -> Mapping[str, float]:
        """Return the mean score of each task over its attempts, failures left out.

        In the order of the task ids, since operators draw from it and the order in which rollouts
        ended must not matter.
        """
        found: dict[str, list[float]] = defaultdict(list)
        for (task, _), row in self.rollouts.get((candidate, split), {}).items():
            if row.value is not None:
                found[task].append(row.value)
        return {task: sum(scores) / len(scores) for task, scores in sorted(found.items())}

    def mean(self, candidate: str, split: Split) -> float | None:
        """Return the mean over the tasks of a split, or None where nothing was scored."""
        values = self.values(candidate, split)
        return sum(values.values()) / len(values) if values else None

    @property
    def champion(self) -> str | None:
        """The pool member with the best mean on validation, the earliest of equals."""
        best, best_mean = None, -1.0
        for candidate in self.pool:
            mean = self.mean(candidate, Split.VAL)
            if mean is not None and mean > best_mean:
                best, best_mean = candidate, mean
        return best

    def apply(self, entry: Entry) -> None:  # noqa: C901 - one plain case an event
        """Take in one more event."""
        if not isinstance(entry.event, SessionStarted):
            self._last_at = max(self._last_at, entry.at)
        match entry.event:
            case RunCreated():
                self.run = entry.event
            case CandidateAdded():
                self.candidates[entry.event.id] = entry.event
            case Selected():
                self.selected[entry.event.item] = entry.event
            case Called():
                self._charge(entry.event, entry.seconds)
            case RolloutEnded():
                self._add_rollout(entry.event, entry.seconds)
            case Decided():
                self._decide(entry.event)
            case TestOpened():
                self.tests.append(entry.event)
            case SessionStarted() | SessionEnded():
                self._session(entry)
            case CallLost():
                self._charge(entry.event, 0.0)
                self.lost += _amount(entry.event)

    def _charge(self, event: Called | CallLost, seconds: float) -> None:
        self.spent[event.role] += _amount(event)
        self.role_seconds[event.role] += seconds

    def _add_rollout(self, event: RolloutEnded, seconds: float) -> None:
        cost = Amount(event.tokens_in, event.tokens_out, event.money, 1, event.calls)
        self.rollouts[event.candidate, event.split][event.task, event.attempt] = RolloutRow(
            event.candidate,
            event.task,
            event.split,
            event.attempt,
            event.value,
            event.passed,
            event.boundary,
            cost,
            seconds,
        )
        self.rollouts_done += 1

    def _decide(self, event: Decided) -> None:
        self.decided[event.item] = event
        if event.verdict.outcome != "accepted" or event.candidate is None:
            return
        self.pool.append(event.candidate)
        champion = self.champion
        if champion is not None and (not self.curve or self.curve[-1].candidate != champion):
            total = self.total
            self.curve.append(
                Point(
                    event.order,
                    self.seconds,
                    total.rollouts,
                    total.tokens,
                    total.money,
                    self.mean(champion, Split.VAL) or 0.0,
                    champion,
                )
            )

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


def _amount(event: Called | CallLost) -> Amount:
    return Amount(event.tokens_in, event.tokens_out, event.money, 0, 1)

"""What is written to the archive. Everything else is computed from these.

A *content* event describes what happened in a way that does not depend on time or on the number of
workers; the archive hash covers these. A *session* event describes one stretch of work.
"""

from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from evolith.core.event import Event
from evolith.core.messages import Role
from evolith.core.overlap import (
    Claimed,
    HandedOn,
    Ordered,
    Pulsed,
    Speculated,
    StaleMet,
    StoppedEarly,
)
from evolith.core.task import Split
from evolith.errors import Boundary

SCHEMA_VERSION = 2
"""Raised whenever an event changes its shape; `archive.migrate` knows the steps."""


class RunCreated(Event):
    """The run's unchangeable basis: everything that its results depend on."""

    kind: Literal["run_created"] = "run_created"
    name: str
    config: str
    """Canonical JSON of the settings that results depend on (no workers, budget or prices)."""
    tasks: str
    """Hash of the task set."""
    counts: dict[Split, int]
    """Tasks in each split."""

    @property
    def key(self) -> str:
        """One a run."""
        return "run"


class CandidateAdded(Event):
    """A candidate came into being. Whether it stays is the matter of `Decided`."""

    kind: Literal["candidate"] = "candidate"
    id: str
    artifact: str
    """Blob with the artifact's files as JSON."""
    parents: tuple[str, ...]
    item: str
    operator: str
    rationale: str
    cursor: int

    @property
    def key(self) -> str:
        """One an id."""
        return f"candidate/{self.id}"


class Selected(Event):
    """An item was started: what it is made from."""

    kind: Literal["selected"] = "selected"
    item: str
    ordinal: int
    commits: int
    """Decisions made before the selection: what the selection could see."""
    version: int
    """Accepted changes before the selection: the item's base version."""
    parents: tuple[str, ...]
    tasks: tuple[str, ...]
    """The minibatch: ids of train tasks."""
    operator: str
    """The mutation operator to use."""
    components: tuple[str, ...]
    """The paths to edit; empty where the operator chooses."""
    cursor: int = 0
    """Where the child's round-robin choice of components goes on."""
    ancestor: str = ""
    """The common ancestor of the two parents of a merge."""

    @property
    def key(self) -> str:
        """One an item."""
        return f"selected/{self.item}"


class Called(Event):
    """A model call that has ended and was charged."""

    kind: Literal["call"] = "call"
    slot: str
    """Where in the run the call belongs, such as `rollout/seed/t1/0/task/0`."""
    request: str
    """Blob with the request as JSON."""
    role: Role
    model: str
    text: str | None
    """Blob with the answer, or None where the call failed."""
    failure: str | None
    """Name of the failure class, such as `TruncatedResponse`, or None."""
    message: str = ""
    """What the failure said."""
    tokens_in: int
    tokens_out: int
    money: Decimal
    estimated: bool

    @property
    def key(self) -> str:
        """One a slot and request."""
        return call_key(self.slot, self.request)

    @property
    def ends(self) -> str:
        """The call itself."""
        return self.key


def call_key(slot: str, request_hash: str) -> str:
    """Return the key under which a call is recorded and found again."""
    return f"call/{slot}/{request_hash[:16]}"


class RolloutEnded(Event):
    """A rollout that has ended, with a score or a failure."""

    kind: Literal["rollout"] = "rollout"
    candidate: str
    task: str
    split: Split
    attempt: int
    output: str | None
    """Blob with the trajectory as JSON."""
    value: float | None
    passed: bool | None
    feedback: str
    boundary: Boundary | None
    message: str
    tokens_in: int
    tokens_out: int
    money: Decimal
    calls: int

    @property
    def key(self) -> str:
        """One a candidate, task and attempt."""
        return rollout_key(self.candidate, self.task, self.attempt)


def rollout_key(candidate: str, task: str, attempt: int) -> str:
    """Return the key under which a rollout is recorded and found again."""
    return f"rollout/{candidate}/{task}/{attempt}"


PROVED = "proved"
"""Code of an acceptance that makes its candidate the champion by a direct comparison, whatever the
means say: those were taken on different tasks."""


class Verdict(BaseModel):
    """What was decided about an item, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    outcome: Literal["accepted", "rejected", "failed", "skipped", "held"]
    """`failed`: an operator gave nothing usable; `skipped`: there was nothing to improve; `held`:
    the child did better on its minibatch and waits to be fused with others."""
    code: str
    """A short stable name, such as `minibatch_not_better`."""
    reason: str
    """One sentence for a reader."""


class Decided(Event):
    """The end of an item, as the committer decided it."""

    kind: Literal["decided"] = "decided"
    item: str
    order: int
    """0 for the first decision of the run."""
    candidate: str | None
    verdict: Verdict
    version: int
    """Accepted changes after this decision."""
    before: float | None = None
    """Mean score of the parent on the minibatch, where it was run."""
    after: float | None = None
    """Mean score of the child on the same minibatch, where it was run."""
    val: float | None = None
    """Mean score on the validation split, where it was run."""

    @property
    def key(self) -> str:
        """One an item."""
        return f"decided/{self.item}"


class TestOpened(Event):
    """The sealed test split is about to be run for a candidate."""

    __test__ = False  # not a test class
    kind: Literal["test_opened"] = "test_opened"
    candidate: str
    use: int
    """1 for the first time that the split is opened in this run."""

    @property
    def key(self) -> str:
        """One a candidate."""
        return f"test/{self.candidate}"


class SessionStarted(Event):
    """A process began to work on the run."""

    kind: Literal["session_started"] = "session_started"
    session: ClassVar[bool] = True
    number: int
    version: str
    """Of Evolith."""
    settings: str
    """Canonical JSON of the whole config of this session, budget and workers included."""
    fingerprint: str
    """Machine and library versions, for a reader."""

    @property
    def key(self) -> str:
        """One a session."""
        return f"session/{self.number}/started"


class SessionEnded(Event):
    """A process stopped to work on the run."""

    kind: Literal["session_ended"] = "session_ended"
    session: ClassVar[bool] = True
    number: int
    reason: str
    """`finished`, `budget:tokens`, `drained`, `aborted`, `provider` or `error`."""
    message: str
    seconds: float
    """Wall time of this session."""

    @property
    def key(self) -> str:
        """One a session."""
        return f"session/{self.number}/ended"


class CallLost(Event):
    """A try of a call gave no answer and may have been billed, so it is charged.

    It failed after it was sent, it was given up, or its process died.
    """

    kind: Literal["call_lost"] = "call_lost"
    session: ClassVar[bool] = True
    call: str
    number: int
    """The session that found it."""
    ordinal: int = 0
    """Counts the tries that were lost in that session from 1; 0 for those of a killed process."""
    role: Role
    model: str
    tokens_in: int
    tokens_out: int
    money: Decimal

    @property
    def key(self) -> str:
        """One a call and session, or one a try of the session itself."""
        key = f"lost/{self.number}/{self.call}"
        return f"{key}/{self.ordinal}" if self.ordinal else key

    @property
    def ends(self) -> str:
        """The call whose try it was."""
        return self.call


class UsageExceeded(Event):
    """A server reported more tokens than it was allowed: all are charged, and may pass a budget."""

    kind: Literal["usage_exceeded"] = "usage_exceeded"
    session: ClassVar[bool] = True
    call: str
    role: Role
    model: str
    reserved_in: int
    """The most prompt tokens that the call could have."""
    reserved_out: int
    """The most completion tokens that were asked for."""
    tokens_in: int
    tokens_out: int

    @property
    def key(self) -> str:
        """One a call."""
        return f"exceeded/{self.call}"


AnyEvent = Annotated[
    RunCreated
    | CandidateAdded
    | Selected
    | Called
    | RolloutEnded
    | Decided
    | TestOpened
    | SessionStarted
    | SessionEnded
    | CallLost
    | UsageExceeded
    | Speculated
    | HandedOn
    | Claimed
    | StaleMet
    | StoppedEarly
    | Ordered
    | Pulsed,
    Field(discriminator="kind"),
]
EVENTS: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)
"""Reads an event back from its JSON."""

"""What a report says, as plain frozen data. The JSON of a report has exactly this shape."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from evolith.core.budget import Amount
from evolith.core.messages import Role
from evolith.core.task import Split
from evolith.errors import Boundary
from evolith.report.overlap_data import OverlapReport

FORMAT = 2
"""Raised whenever a field of the report is renamed, removed or changes its meaning."""

Outcome = Literal["accepted", "rejected", "failed", "skipped", "held"]
Cause = Literal[
    "used",
    "rejected",
    "failed",
    "stale",
    "retracted",
    "given_up",
    "repair",
    "left_over",
    "lost",
    "under_way",
]
"""What something was spent on. `used`: the seed, what was accepted or went into it, and the sealed
test. `rejected`, `failed` (or skipped), `stale` (dropped or discarded), `retracted`: proposals that
ended so, with their operator calls and their child's rollouts. `given_up`: evaluations that were
ended or lost. `repair`: repair calls. `left_over`: changes that were held and are in nothing that
was accepted. `lost`: tries without an answer that may be billed, charged at their worst case.
`under_way`: proposals that are not decided."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95% interval."""

    value: float
    low: float
    high: float
    n: int
    """Tasks that it rests on."""


@dataclass(frozen=True, slots=True)
class TaskCost:
    """What one rollout cost on average, over the rollouts that were scored."""

    tokens_in: float
    tokens_out: float
    money: Decimal
    """US dollars."""
    seconds: float
    """Wall time from start to score."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One candidate on one split."""

    candidate: str
    tasks: int
    """Tasks with at least one scored attempt: those that the figures rest on."""
    attempts: int
    """k: the most attempts that a task had."""
    avg: Estimate | None
    """Avg@k; None where nothing was scored."""
    passed: Estimate | None
    """Pass@k; None where nothing was scored."""
    failures: Mapping[Boundary, int]
    """Rollouts without a score, by whose fault it was. They are in none of the figures."""
    cost: TaskCost | None
    """None where nothing was scored."""

    @property
    def failed(self) -> int:
        """All rollouts without a score."""
        return sum(self.failures.values())


@dataclass(frozen=True, slots=True)
class Comparison:
    """Champion against seed on the tasks of a split that both have a score for."""

    difference: Estimate | None
    """Champion minus seed, Avg@k, paired by task."""
    gained: tuple[str, ...]
    """Tasks that the champion solves and the seed does not."""
    lost: tuple[str, ...]
    """Tasks that the seed solves and the champion does not."""
    p_value: float
    """McNemar's exact test of gained against lost, two-sided."""


@dataclass(frozen=True, slots=True)
class SplitReport:
    """Seed and champion on one split."""

    split: Split
    tasks: int
    """Tasks in the split."""
    seed: Measured | None
    """None where it was not run."""
    champion: Measured | None
    """None where it was not run, or where the champion is the seed."""
    comparison: Comparison | None


@dataclass(frozen=True, slots=True)
class RunState:
    """Where the run stands."""

    status: Literal["finished", "stopped", "open"]
    """`open`: the last session has no end: it is at work, or its process was killed."""
    reason: str
    """As recorded, such as `budget:tokens`; empty for an open run."""
    sentence: str
    """The same for a reader, without a full stop."""
    resume: str | None
    """The command that goes on with the run; None for one that finished."""
    sessions: int
    killed: int
    """Earlier sessions that ended without saying so."""
    seconds: float
    """Work time of all sessions."""


@dataclass(frozen=True, slots=True)
class RoleCost:
    """What the calls of one role cost."""

    role: Role
    models: tuple[str, ...]
    amount: Amount
    seconds: float
    """Time that the calls took, added up over workers."""
    failed_calls: int
    estimated_calls: int
    """Calls whose tokens are our estimate, or a charged worst case, not the server's figure."""


@dataclass(frozen=True, slots=True)
class Use:
    """A part of what was spent."""

    cause: Cause
    amount: Amount


@dataclass(frozen=True, slots=True)
class RunCost:
    """What the evolution cost, the final test included."""

    roles: tuple[RoleCost, ...]
    total: Amount
    uses: tuple[Use, ...]
    """What it was spent on; the parts add up to the total."""

    @property
    def wasted(self) -> Amount:
        """What went into nothing that is in use."""
        spent = (use.amount for use in self.uses if use.cause not in ("used", "under_way"))
        return sum(spent, start=Amount())


@dataclass(frozen=True, slots=True)
class Proposal:
    """One item: what it was made from and how it ended."""

    item: str
    order: int
    operator: str
    parents: tuple[str, ...]
    candidate: str | None
    outcome: Outcome
    code: str
    """Short stable name of the reason."""
    reason: str
    before: float | None
    """Mean score of the parent on the minibatch."""
    after: float | None
    """Mean score of the child on the same minibatch."""
    val: float | None
    """Mean score of the child on the validation split."""
    staleness: int | None
    """Changes that were accepted between its selection and its decision."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How many there were, and how many a minute."""

    total: int
    per_minute: float | None
    """None where no time has passed."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast the search went, until its last decision."""

    seconds: float
    """Work time until then."""
    proposals: Rate
    """Decided attempts at a new candidate."""
    accepted: Rate
    held: Rate
    rollouts: Rate
    tokens: Rate
    money_per_accepted: Decimal | None
    """US dollars; None where nothing was spent or accepted."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The score that the run claims for its champion."""

    value: Estimate
    """Mean over the rollouts; `n` counts these."""
    fresh: bool
    """Whether they were made after the champion was chosen; else answers repeat."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The champion's validation score from one moment of the search on."""

    order: int
    """Decisions made."""
    seconds: float
    rollouts: int
    tokens: int
    money: Decimal
    val: Estimate
    candidate: str


@dataclass(frozen=True, slots=True)
class Node:
    """A candidate in its place in the lineage."""

    id: str
    parents: tuple[str, ...]
    operator: str
    item: str
    order: int | None
    """Which decision was the first about it; None while it is undecided."""
    outcome: Outcome | None
    """`accepted` once any decision about it says so, else that of the first."""
    val: float | None
    """Mean validation score, where it was run."""
    line: bool
    """Whether it is the champion or an ancestor of it."""
    sources: tuple[str, ...] = ()
    """The nearest accepted ancestors."""
    between: int = 0
    """Candidates between it and these, such as changes that were fused into it."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """How many lines of a file the champion adds and removes."""

    path: str
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The champion's artifact against the seed's."""

    files: tuple[FileChange, ...]
    diff: str
    """Unified diff, as `git apply` reads it; empty where the champion is the seed."""


@dataclass(frozen=True, slots=True)
class Flag:
    """Something that a reader must know before trusting a figure."""

    code: str
    """Short stable name."""
    text: str
    """One or two sentences."""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is said of a run."""

    format: int
    name: str
    folder: str
    """The run's folder, as the commands in the report name it."""
    seed: int
    algorithm: str
    schedule: str
    tasks: str
    """Hash of the task set: runs with the same hash ran on the same tasks in the same splits."""
    state: RunState
    champion: str | None
    """None while not even the seed is evaluated."""
    claim: Claim | None
    """None where the run claims nothing beside the champion's validation score."""
    val: SplitReport
    test: SplitReport
    test_uses: int
    """How often the sealed test split was opened."""
    test_note: str
    """That in a sentence, or why the split was not opened."""
    flags: tuple[Flag, ...]
    cost: RunCost
    pace: Pace | None
    """None before the first decision about a proposal."""
    overlap: OverlapReport | None
    """None for a synchronous run."""
    proposals: tuple[Proposal, ...]
    """All items in the order of decision, the seed left out."""
    under_way: int
    """Proposals that were begun and are not decided."""
    curve: tuple[CurvePoint, ...]
    """One point a new champion, and one at the last decision."""
    lineage: tuple[Node, ...]
    """In the order in which the candidates came into being."""
    change: Difference
    """Champion against seed."""

"""What a report says of work that overlaps, as plain frozen data: only in asynchronous runs."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StageReport:
    """One stage. What counts, counts all sessions; what is so now is of the last pulse."""

    name: str
    workers: int
    """Workers that it may use now."""
    busy: int
    """Workers at work now."""
    done: int
    """Items that it handed on."""
    wait: float | None
    """Mean seconds that an item waited for a worker; None while none came."""
    waiting: int
    """Items in its queue now."""
    longest: int
    """The longest queue so far."""
    idle: float | None
    """Share of the time in which it had nothing to do at all; None where no time has passed."""


@dataclass(frozen=True, slots=True)
class CommitterReport:
    """How long items wait for their decision at the one committer."""

    done: int
    """Decisions."""
    wait_p50: float
    """Median seconds of the latest waits."""
    wait_p99: float
    """99th percentile of the same."""
    waiting: int
    """Items that wait now."""
    longest: int
    """Most items that ever waited."""


@dataclass(frozen=True, slots=True)
class Beat:
    """The stages at one moment, in the order of `OverlapReport.stages`, the committer last."""

    seconds: float
    """Time of searching until then, sessions added up."""
    waiting: tuple[int, ...]
    busy: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FateReport:
    """Stale proposals that were met in one way."""

    fate: str
    """As recorded, such as `rebased`."""
    items: int
    tokens: int
    """Tokens of the repair calls for them."""


@dataclass(frozen=True, slots=True)
class SpeculationReport:
    """Work that was handed on before all of it was back."""

    handed: int
    """Proposals that were made before all rollouts of the parent were back."""
    tentative: int
    """Candidates that could be parents before their evaluation was complete."""
    confirmed: int
    """Of these, how many were accepted."""
    retracted: int
    """Of these, how many were not."""
    fallen: int
    """Proposals that fell with a retracted parent."""


@dataclass(frozen=True, slots=True)
class EarlyReport:
    """Evaluations that ended before all their rollouts were run."""

    evaluations: int
    saved: int
    """Rollouts that were not needed."""


@dataclass(frozen=True, slots=True)
class OverlapReport:
    """How the work of an asynchronous run overlapped."""

    pulsed_at: float | None
    """When the stages were looked at last, in seconds since the epoch; None before the first."""
    stages: tuple[StageReport, ...]
    committer: CommitterReport | None
    beats: tuple[Beat, ...]
    staleness: Mapping[int, int]
    """Decided proposals by their staleness: changes that were accepted between their selection and
    their decision."""
    stale: tuple[FateReport, ...]
    speculation: SpeculationReport
    early: EarlyReport

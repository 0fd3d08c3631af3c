"""What the events of overlapping work add up to: tentative candidates, stale items, pulses."""

from dataclasses import dataclass, field

from evolith.core.candidate import SEED
from evolith.core.events import AnyEvent, Decided
from evolith.core.overlap import (
    Claimed,
    HandedOn,
    Ordered,
    Pulsed,
    Speculated,
    StaleMet,
    StoppedEarly,
)


@dataclass(slots=True)
class Overlap:
    """The overlapping work of a run as it stands. `apply` is the only way to change it."""

    outcomes: dict[str, str] = field(default_factory=dict)
    """What was first decided about each candidate."""
    tentative: dict[str, Speculated] = field(default_factory=dict)
    """Candidates that may be parents although their evaluation is under way."""
    speculated: dict[str, Speculated] = field(default_factory=dict)
    """All that were ever tentative."""
    champions: list[str] = field(default_factory=list)
    """The champion at each version."""
    handed: dict[str, HandedOn] = field(default_factory=dict)
    """By item."""
    stale: dict[str, StaleMet] = field(default_factory=dict)
    """By item."""
    stopped: dict[str, StoppedEarly] = field(default_factory=dict)
    """By item."""
    orders: list[Ordered] = field(default_factory=list)
    claims: list[Claimed] = field(default_factory=list)
    pulses: list[Pulsed] = field(default_factory=list)

    def apply(self, event: AnyEvent, champion: str | None) -> None:
        """Take in one more event.

        Args:
            event: What happened.
            champion: The champion after it.
        """
        match event:
            case Speculated():
                self.tentative[event.candidate] = self.speculated[event.candidate] = event
            case Decided():
                self._decide(event, champion)
            case HandedOn():
                self.handed[event.item] = event
            case StaleMet():
                self.stale[event.item] = event
            case StoppedEarly():
                self.stopped[event.item] = event
            case Ordered():
                self.orders.append(event)
            case Claimed():
                self.claims.append(event)
            case Pulsed():
                self.pulses.append(event)

    def _decide(self, event: Decided, champion: str | None) -> None:
        if event.candidate is not None:
            self.outcomes.setdefault(event.candidate, event.verdict.outcome)
            self.tentative.pop(event.candidate, None)
        if event.verdict.outcome == "accepted":
            self.champions.append(champion or SEED)

"""Events of work that overlaps: speculation, staleness, early ends, and how stages kept pace."""

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from evolith.core.event import Event

Met = Literal["passed", "dropped", "rebased", "distant", "patched", "discarded", "fused", "failed"]
"""What became of a stale child. `fused`: patched, into the candidate of another item of the same
repair call; `failed`: that call gave nothing usable."""


class Speculated(Event):
    """A candidate became tentative: it may be a parent before its evaluation is complete."""

    kind: Literal["speculated"] = "speculated"
    session: ClassVar[bool] = True
    candidate: str
    back: int
    """Validation rollouts that were back."""
    total: int
    """Validation rollouts of the whole evaluation."""
    mean: float
    """Mean score of those that were back."""
    threshold: float
    """What the candidate had to beat: the champion's mean on the same tasks."""
    alpha: float
    """The share of rollouts in force."""

    @property
    def key(self) -> str:
        """One a candidate."""
        return f"speculated/{self.candidate}"


class HandedOn(Event):
    """A child was proposed before all rollouts of its parent on the minibatch were back."""

    kind: Literal["handed_on"] = "handed_on"
    item: str
    tasks: tuple[str, ...]
    """Those that were back."""

    @property
    def key(self) -> str:
        """One an item."""
        return f"handed/{self.item}"


class StaleMet(Event):
    """What became of a child whose parent had been overtaken."""

    kind: Literal["stale_met"] = "stale_met"
    item: str
    staleness: int
    """Accepted changes since its parent was chosen."""
    fate: Met
    reason: str
    candidate: str | None
    """What goes on in its place, or None."""
    call: str | None = None
    """Key of the repair call."""
    place: int = 0
    """Which change of that call it was, from 0."""
    tokens: int = 0
    """Its share of the tokens of that call."""

    @property
    def key(self) -> str:
        """One an item."""
        return f"stale/{self.item}"


class StoppedEarly(Event):
    """An evaluation ended before all its rollouts were run, since they would change nothing."""

    kind: Literal["stopped_early"] = "stopped_early"
    item: str
    candidate: str
    back: int
    """Rollouts that were back."""
    total: int
    """Rollouts of the whole evaluation."""
    probability: float
    """Chance that the rest would have changed the decision; for a judged line, the probability
    that it is better than the champion."""
    low: float
    """Lower end of the 95% interval of the difference to what it had to beat: of the final one as
    predicted, or for a judged line of that on the tasks that are back."""
    high: float
    """Upper end."""

    @property
    def key(self) -> str:
        """One an item."""
        return f"stopped/{self.item}"


class Claimed(Event):
    """The score that a run claims for its champion, on rollouts that chose nothing."""

    kind: Literal["claimed"] = "claimed"
    number: int
    """Counts the claims of the run from 1."""
    candidate: str
    mean: float
    """Mean score on validation."""
    low: float
    """Lower end of its 95% interval; the mean itself where answers repeat."""
    high: float
    """Upper end."""
    rollouts: int
    """Rollouts that it rests on."""
    fresh: bool
    """Whether these were made after the candidate was chosen."""

    @property
    def key(self) -> str:
        """One a number."""
        return f"claim/{self.number}"


class Ordered(Event):
    """From now on these validation tasks are run last: they were passed several times running."""

    kind: Literal["ordered"] = "ordered"
    number: int
    """Counts the orders of the run from 1."""
    last: tuple[str, ...]
    """The tasks that go last."""

    @property
    def key(self) -> str:
        """One a number."""
        return f"order/{self.number}"


class StagePulse(BaseModel):
    """One stage at one moment; all but the first four count from the start of the session."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    workers: int
    busy: int
    waiting: int
    arrived: int
    done: int
    waited: float
    """Seconds that items spent in the queue, added up."""
    worked: float
    """Seconds that workers spent on items, added up."""
    idle: float
    """Seconds in which no worker had anything to do."""
    longest: int
    """The longest queue so far."""
    wait_p50: float
    """Median wait of the latest items, in seconds."""
    wait_p99: float
    """99th percentile of the same."""


class Pulsed(Event):
    """How the stages stand, written every few seconds while an asynchronous run works."""

    kind: Literal["pulsed"] = "pulsed"
    session: ClassVar[bool] = True
    number: int
    """The session."""
    beat: int
    """Counts the pulses of the session from 1."""
    seconds: float
    """Age of the session's search."""
    stages: tuple[StagePulse, ...]

    @property
    def key(self) -> str:
        """One a session and beat."""
        return f"pulse/{self.number}/{self.beat}"

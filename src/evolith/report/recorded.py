"""What a report reads of the settings that a run has recorded."""

from decimal import Decimal

from pydantic import BaseModel, Field

from evolith.archive.state import State
from evolith.core.budget import Budget
from evolith.core.events import SessionStarted


class _Demos(BaseModel):
    path: str = "demos.jsonl"


class _Algorithm(BaseModel):
    kind: str = ""
    demos: _Demos = Field(default_factory=_Demos)


class _Run(BaseModel):
    schedule: str = ""
    in_flight: int = 1


class _Limits(BaseModel):
    tokens: int | None = None
    money: Decimal | None = None
    rollouts: int | None = None
    seconds: float | None = None


class Recorded(BaseModel):
    """The settings that a report speaks of; what a run has not recorded keeps its default."""

    seed: int = 0
    algorithm: _Algorithm = Field(default_factory=_Algorithm)
    run: _Run = Field(default_factory=_Run)
    budget: _Limits = Field(default_factory=_Limits)
    scorer: dict[str, object] = Field(default_factory=dict)

    @property
    def schedule(self) -> str:
        """The schedule in words, such as `async, 4 in flight`."""
        beside = f", {self.run.in_flight} in flight" if self.run.schedule == "async" else ""
        return f"{self.run.schedule}{beside}"

    @property
    def limits(self) -> Budget:
        """The most that the run may spend."""
        limits = self.budget
        return Budget(limits.tokens, limits.money, limits.rollouts, limits.seconds)

    @property
    def reveals_answers(self) -> bool:
        """Whether a scorer may put the hidden answer into its feedback."""
        return _holds(self.scorer, "reveal_answer")


def recorded(state: State) -> Recorded:
    """Return the settings of the latest session, or the run's basis where there was none yet."""
    if state.sessions:
        started = state.sessions[-1][0].event
        assert isinstance(started, SessionStarted)
        return Recorded.model_validate_json(started.settings)
    return Recorded.model_validate_json(state.run.config if state.run else "{}")


def _holds(value: object, key: str) -> bool:
    """Say whether `key` is true anywhere inside nested tables and lists."""
    if isinstance(value, dict):
        return value.get(key) is True or any(_holds(inner, key) for inner in value.values())
    return isinstance(value, list) and any(_holds(inner, key) for inner in value)

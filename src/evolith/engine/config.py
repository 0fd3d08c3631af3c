"""The `[run]` table of the config: how the work is scheduled."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from evolith.core.settings import Settings
from evolith.engine.control import Control, Fixed, Median, ProportionalIntegral
from evolith.engine.stage import Workers
from evolith.engine.staleness import Policy, Rules
from evolith.errors import ConfigError

DEFAULT_IN_FLIGHT = 4
"""Items that an asynchronous run works on at once, where the config does not say."""
Alpha = Annotated[float, Field(gt=0, le=1)] | Literal["adaptive"]
"""A share of requests, or the word for a share that follows how often speculation was right."""
STAGES = Literal["rollout", "propose", "check", "repair", "evaluate"]


class StalenessSettings(Settings):
    """What becomes of a child whose parent was overtaken while it was made."""

    policy: Policy = "full"
    """`full`: evaluate it as it is. `guarded`: drop it when it is too stale. `reflective`: move its
    change to the present champion, by a model where both conflict."""
    limit: int = Field(default=4, ge=0)
    """For `guarded`: accepted changes since its parent was chosen that still pass."""
    similarity: float = Field(default=0.2, ge=0, le=1)
    """For `reflective`: changes whose words are less alike than this do not concern each other."""
    batch: int = Field(default=4, ge=1)
    """For `reflective`: most stale changes that one repair call takes."""
    wait: float = Field(default=0.0, ge=0)
    """For `reflective`: seconds that a repair call waits for more of them."""

    def rules(self) -> Rules:
        """Return the rules as the engine takes them."""
        return Rules(self.policy, self.limit, self.similarity)


class SpeculationSettings(Settings):
    """Handing work on before all of it is back."""

    rollout: Alpha = 1.0
    """Share of the parent's rollouts on the minibatch after which the child is proposed."""
    evaluate: Alpha = 1.0
    """Share of the validation rollouts after which a child that is ahead may be a parent."""


class ControlSettings(Settings):
    """Moving workers between stages."""

    policy: Literal["fixed", "median", "pi"] = "fixed"
    """`fixed`: nobody is moved. `median`: by rates against the median of stages. `pi`: by smoothed
    rates and backlog."""
    tau: float = Field(default=5.0, gt=0)
    """Seconds between two looks."""

    def control(self) -> Control:
        """Return the rule as the engine takes it."""
        if self.policy == "median":
            return Median(self.tau)
        if self.policy == "pi":
            return ProportionalIntegral(self.tau)
        return Fixed()


class WorkersSettings(Settings):
    """Bounds of one stage's pool."""

    least: int = Field(default=1, ge=1)
    """Workers that the stage always has."""
    most: int = Field(ge=1)
    """Workers that it never exceeds."""

    @model_validator(mode="after")
    def _in_order(self) -> "WorkersSettings":
        if self.least > self.most:
            raise ConfigError(
                f"at least {self.least} and at most {self.most} workers is nothing",
                where="run.stages",
                fix="make least no larger than most",
            )
        return self


class RunSettings(Settings):
    """How the work is scheduled."""

    schedule: Literal["sync", "async"] = "sync"
    """`sync`: one item after another, and the same archive each time. `async`: several at once,
    which is faster."""
    in_flight: int = Field(default=1, ge=1)
    """Items that are worked on at once; 1 for `sync`, 4 for `async` unless given."""
    workers: int = Field(default=8, ge=1)
    """Rollouts that run at once. Never changes a result of a synchronous run."""
    staleness: StalenessSettings = StalenessSettings()
    """What becomes of overtaken children (`async` only)."""
    speculation: SpeculationSettings = SpeculationSettings()
    """Handing work on early (`async` only)."""
    give_up: float | None = Field(default=None, ge=0, lt=1)
    """End an evaluation when the chance that it changes the decision is at most this: 0 means only
    when it is certain not to. Left out, every evaluation is finished (`async` only)."""
    reorder: bool = False
    """Run validation tasks that were passed in the last three rounds last (`async` only)."""
    control: ControlSettings = ControlSettings()
    """Moving workers between stages (`async` only)."""
    stages: dict[STAGES, WorkersSettings] = Field(default_factory=dict)
    """Bounds of single stages; a stage that is not named has up to `in_flight` workers."""

    @model_validator(mode="before")
    @classmethod
    def _default_in_flight(cls, data: object) -> object:
        if isinstance(data, dict) and data.get("schedule") == "async":
            return {"in_flight": DEFAULT_IN_FLIGHT, **data}
        return data

    @model_validator(mode="after")
    def _sync_is_plain(self) -> "RunSettings":
        if self.schedule == "async":
            return self
        if self.in_flight > 1:
            raise ConfigError(
                "a synchronous run has one item in flight",
                where="run.in_flight",
                fix='set run.schedule = "async", or leave in_flight out',
            )
        plain = RunSettings.model_fields
        for name in ("staleness", "speculation", "give_up", "reorder", "control", "stages"):
            if name in self.model_fields_set and getattr(self, name) != plain[name].get_default(
                call_default_factory=True
            ):
                raise ConfigError(
                    f"{name} has no use in a synchronous run",
                    where=f"run.{name}",
                    fix='set run.schedule = "async", or leave it out',
                )
        return self

    def pool(self, stage: STAGES) -> Workers:
        """Return the bounds of a stage's pool."""
        bounds = self.stages.get(stage)
        if bounds is None:
            return Workers(1, self.in_flight, start=self._start(1, self.in_flight))
        return Workers(bounds.least, bounds.most, self._start(bounds.least, bounds.most))

    def _start(self, least: int, most: int) -> int:
        """Pools that nobody resizes are as wide as they may be; others begin in the middle."""
        return most if self.control.policy == "fixed" else (least + most + 1) // 2

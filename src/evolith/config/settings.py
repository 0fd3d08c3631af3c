"""The whole config of a run, composed of the settings of its parts."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from evolith.agents.config import AgentConfig
from evolith.agents.prompt import PromptAgentConfig
from evolith.algorithms.choice import AlgorithmConfig
from evolith.algorithms.config import GepaConfig
from evolith.config.artifact import ArtifactConfig
from evolith.core.budget import Budget
from evolith.core.settings import Settings
from evolith.engine.config import RunSettings
from evolith.errors import ConfigError
from evolith.models.config import ModelsConfig
from evolith.scorers.config import ScorerConfig
from evolith.scorers.exact import ExactConfig
from evolith.tasks.config import TasksConfig

DEFAULT_ROLLOUTS = 1000
"""The budget of a run whose config sets no limit at all."""


USERS = {
    "staleness": ("gepa", "demos"),
    "speculation": ("gepa", "demos"),
    "give_up": ("demos",),
}
"""Algorithms that use a setting of the schedule, where not all do. `flash` has its own ways of
staleness, speculation and early ends; only `demos` accepts by a score that must be beaten."""


class BudgetConfig(Settings):
    """The most that the run may spend in all its sessions; 1000 rollouts where no limit is set."""

    tokens: int | None = Field(default=None, gt=0)
    """Prompt and completion tokens of all roles together."""
    money: Decimal | None = Field(default=None, gt=0)
    """US dollars of all roles together."""
    rollouts: int | None = Field(default=None, gt=0)
    """Rollouts, those on the test split included."""
    seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Wall time while the run is at work."""

    @model_validator(mode="before")
    @classmethod
    def _default_limit(cls, data: object) -> object:
        if isinstance(data, dict) and all(data.get(limit) is None for limit in cls.model_fields):
            return {**data, "rollouts": DEFAULT_ROLLOUTS}
        return data

    def budget(self) -> Budget:
        """Return the limits as the engine takes them."""
        return Budget(self.tokens, self.money, self.rollouts, self.seconds)


class TestSettings(Settings):
    """How the sealed test split is run, once, at the end."""

    __test__ = False  # not a test class
    attempts: int = Field(default=1, ge=1)
    """Rollouts of each test task, for the seed and for the champion."""


def _kind(default: str) -> BeforeValidator:
    """Let a table leave `kind` out."""
    return BeforeValidator(lambda data: {"kind": default, **data} if type(data) is dict else data)


class RunConfig(Settings):
    """Everything that a run needs to know: the file `evolith.toml`."""

    name: str = Field(default="run", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$")
    """Names the run and its folder: letters, digits, dots, hyphens and underscores."""
    seed: int = Field(default=0, ge=0)
    """All randomness of the run derives from this number."""
    base: Path
    """The folder that paths of the config are relative to; set by the loader."""
    tasks: TasksConfig
    """The tasks, and how they are split."""
    artifact: ArtifactConfig = ArtifactConfig()
    """What evolves."""
    agent: Annotated[AgentConfig, _kind("prompt")] = PromptAgentConfig()
    """How the artifact is run on a task."""
    scorer: Annotated[ScorerConfig, _kind("exact")] = ExactConfig()
    """How an answer is judged."""
    models: ModelsConfig
    """Which model does what."""
    algorithm: Annotated[AlgorithmConfig, _kind("gepa")] = GepaConfig()
    """How the artifact is improved."""
    run: RunSettings = RunSettings()
    """How the work is scheduled."""
    budget: BudgetConfig = BudgetConfig()
    """What the run may spend."""
    test: TestSettings = TestSettings()
    """How the test split is run."""

    @model_validator(mode="after")
    def _all_used(self) -> "RunConfig":
        """Refuse settings of the schedule that the algorithm has no use for."""
        plain, kind = RunSettings.model_fields, self.algorithm.kind
        for name, users in USERS.items():
            unset = plain[name].get_default(call_default_factory=True)
            if getattr(self.run, name) != unset and kind not in users:
                raise ConfigError(
                    f"the algorithm {kind} has no use for {name}",
                    where=f"run.{name}",
                    fix=f"leave it out, or take an algorithm that has: {', '.join(users)}",
                )
        if kind == "flash" and self.run.schedule == "sync":
            raise ConfigError(
                "the algorithm flash works on many items at once",
                where="run.schedule",
                fix='set run.schedule = "async"',
            )
        return self

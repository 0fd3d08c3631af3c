"""The `[algorithm]` table of the config."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from evolith.core.settings import Settings

Weights = dict[Literal["reflect", "demos"], Annotated[float, Field(gt=0)]]
"""Mutation operators by name, each as likely as its weight says."""


def _reflect_alone() -> Weights:
    return {"reflect": 1.0}


def _demos_alone() -> Weights:
    return {"demos": 1.0}


class DemosSettings(Settings):
    """Demonstrations as a mutation: which solved train tasks may be shown."""

    most: int = Field(default=8, ge=1)
    """Demonstrations in a set."""
    path: str = "demos.jsonl"
    """The component that holds them."""
    source: Literal["answers", "passed"] = "answers"
    """`answers`: any train task with a known answer; `passed`: train rollouts that passed."""


class ReflectSettings(Settings):
    """Reflective mutation: how the reflection model is asked."""

    max_tokens: int = Field(default=2048, ge=1)
    """Most tokens of a reply."""
    temperature: float | None = Field(default=None, ge=0)
    """Sampling temperature; left out, the server decides."""


class MergeSettings(Settings):
    """Merges of two relatives after an acceptance."""

    most: int = Field(default=5, ge=0)
    """Merges that may be accepted in a run; 0 switches merging off."""
    tasks: int = Field(default=5, ge=1)
    """Validation tasks on which the child is compared with its parents first."""


class _Common(Settings):
    """What every algorithm has."""

    proposals: int | None = Field(default=None, ge=1)
    """Most proposals of the run; left out, the budget ends it."""
    operators: Weights = Field(default_factory=_reflect_alone)
    """Mutation operators, each with its weight."""
    demos: DemosSettings = DemosSettings()
    """Settings of the operator `demos`."""
    reflect: ReflectSettings = ReflectSettings()
    """Settings of the operator `reflect`."""

    @field_validator("operators")
    @classmethod
    def _some(cls, operators: Weights) -> Weights:
        if not operators:
            raise ValueError("name at least one operator, such as { reflect = 1 }")
        return operators

    @property
    def weights(self) -> dict[str, float]:
        """The mutation operators with their weights."""
        return {str(name): weight for name, weight in self.operators.items()}


class GepaConfig(_Common):
    """Reflective evolution on a per-task Pareto frontier."""

    kind: Literal["gepa"] = "gepa"
    """The algorithm."""
    minibatch: int = Field(default=3, ge=1)
    """Train tasks on which a child must beat its parent before it is validated."""
    skip_perfect: bool = True
    """Make no proposal from a minibatch on which the parent is perfect."""
    merge: MergeSettings = MergeSettings()
    """Merging of relatives."""


class DemosConfig(_Common):
    """Search over demonstrations, from the best candidate so far."""

    kind: Literal["demos"] = "demos"
    """The algorithm."""
    minibatch: int = Field(default=16, ge=1)
    """Train tasks, the same for all, on which a child must beat the champion first."""
    operators: Weights = Field(default_factory=_demos_alone)
    """Mutation operators, each with its weight."""


class BestOfNConfig(_Common):
    """The control: independent proposals from the seed, all validated, the best one wins."""

    kind: Literal["best_of_n"] = "best_of_n"
    """The algorithm."""
    minibatch: int = Field(default=3, ge=1)
    """Train tasks that a reflective proposal is made from."""

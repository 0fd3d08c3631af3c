"""Settings of the algorithm `flash`."""

from typing import Literal

from pydantic import Field

from evolith.algorithms.config import ReflectSettings
from evolith.core.settings import Settings


class FlashConfig(Settings):
    """Many small repairs at once, fused into one line, proved on validation as far as needed."""

    kind: Literal["flash"] = "flash"
    """The algorithm."""
    proposals: int | None = Field(default=None, ge=1)
    """Most items of the run; left out, the budget ends it."""
    reflect: ReflectSettings = ReflectSettings()
    """How the reflection model is asked."""
    minibatch: int = Field(default=3, ge=1)
    """Train tasks that a repair is made from and checked on: one that fails, and others that fail
    in the same way."""
    merge: bool = True
    """Fuse all repairs that have won since the last move; else one at a time."""
    ahead: bool = True
    """Let new repairs begin from the line before it is proved; else each move waits for a
    verdict."""
    guard: int = Field(default=8, ge=0)
    """Passed tasks that a repair of a single task must not lose."""
    alike: float = Field(default=0.5, ge=0, le=1)
    """Feedback texts that share this much, rare words counting more, tell of the same fault."""
    accept: float = Field(default=0.95, gt=0.5, lt=1)
    """Probability of being better than the champion at which the line takes its place."""
    reject: float = Field(default=0.1, ge=0, lt=0.5)
    """Probability of being better at which a comparison is lost at once. A line that is not ahead
    after sixteen pairs is given up whatever this says."""
    repeats: int = Field(default=3, ge=1)
    """Passes over the validation tasks that a comparison may take where answers differ."""
    patience: int = Field(default=4, ge=1)
    """Lost comparisons after which the line goes back to the champion."""
    stuck: int = Field(default=3, ge=1)
    """Useless repairs of a task in a row after which harm is looked for."""
    prune: bool = True
    """Leave accepted changes out again where that sets stuck tasks free."""
    claim_repeats: int = Field(default=3, ge=1)
    """Fresh passes over validation that the champion's score is claimed from, where answers
    differ."""

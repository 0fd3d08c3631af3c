"""The config of a run: its settings, and how they are read from a file."""

from evolith.config.artifact import ArtifactConfig, load_artifact
from evolith.config.load import load_config
from evolith.config.settings import BudgetConfig, RunConfig, TestSettings
from evolith.engine.config import RunSettings

__all__ = [
    "ArtifactConfig",
    "BudgetConfig",
    "RunConfig",
    "RunSettings",
    "TestSettings",
    "load_artifact",
    "load_config",
]

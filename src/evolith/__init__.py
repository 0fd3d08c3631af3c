"""Evolith makes an LLM agent better at its owner's tasks: evolve your agent, keep every gain."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolith.api import Options, Run, aevolve, evolve
    from evolith.core.artifact import Artifact
    from evolith.core.budget import Budget
    from evolith.core.messages import Message, Request, Response
    from evolith.core.rollout import Trajectory
    from evolith.core.score import Score
    from evolith.core.task import Task
    from evolith.errors import EvolithError

__all__ = [
    "Artifact",
    "Budget",
    "EvolithError",
    "Message",
    "Options",
    "Request",
    "Response",
    "Run",
    "Score",
    "Task",
    "Trajectory",
    "aevolve",
    "evolve",
]

_HOMES = {
    "evolith.api": ("Options", "Run", "aevolve", "evolve"),
    "evolith.core.artifact": ("Artifact",),
    "evolith.core.budget": ("Budget",),
    "evolith.core.messages": ("Message", "Request", "Response"),
    "evolith.core.rollout": ("Trajectory",),
    "evolith.core.score": ("Score",),
    "evolith.core.task": ("Task",),
    "evolith.errors": ("EvolithError",),
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `import evolith` stays light."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'evolith' has no attribute {name!r}")

"""`function`: the user's own Python is the agent, so that an existing pipeline can evolve."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Literal

from pydantic import Field

from evolith.agents.client import BlockingModelClient, ModelClient
from evolith.core.artifact import Artifact
from evolith.core.ports import Chat
from evolith.core.rollout import Trajectory
from evolith.core.settings import Settings
from evolith.core.task import Task
from evolith.errors import ArtifactError, EvolithError
from evolith.plugins import call, is_async


class FunctionAgentConfig(Settings):
    """A function of your own: `def solve(components, task, chat)`, sync or async.

    `components` is a dict of path to text, `task` has `input` and `fields`, and
    `chat("...")` asks the task model (`await chat("...")` in an async function). It returns the
    output as text, or a `Trajectory`.
    """

    kind: Literal["function"] = "function"
    """Calls Python."""
    function: str
    """`module:function`; the module is a file beside the config or an installed one."""
    max_tokens: int = Field(default=1024, ge=1)
    """Most tokens of an answer of the model, unless a call says otherwise."""
    temperature: float = Field(default=0.0, ge=0, le=2)
    """Sampling temperature of the task model, unless a call says otherwise."""


class FunctionAgent:
    """Calls the user's function with the artifact's components, a sealed task and the model.

    Args:
        config: Its settings.
        function: What it names.
    """

    def __init__(self, config: FunctionAgentConfig, function: Callable[..., object]) -> None:
        self._config, self._function = config, function

    def check(self, artifact: Artifact) -> None:
        """Refuse an artifact without files; what they hold is the function's affair."""
        if not len(artifact):
            raise ArtifactError("the artifact is empty", fix="add at least one file")

    async def run(self, artifact: Artifact, task: Task, chat: Chat) -> Trajectory:
        """Call the function. Without a trajectory of its own, the model's turns make one.

        Raises:
            EvolithError: the function raised, or returned neither text nor a trajectory.
        """
        client = ModelClient(chat, self._config.max_tokens, self._config.temperature)
        own = replace(task.sealed(), fields=deepcopy(dict(task.fields)))
        model = client if is_async(self._function) else BlockingModelClient(client)
        result = await call(self._function, artifact.as_dict(), own, model)
        if isinstance(result, Trajectory):
            return result
        if not isinstance(result, str):
            raise EvolithError(
                f"the agent returned a value of type {type(result).__name__}",
                where=self._config.function,
                fix="return the output as text, or an evolith Trajectory",
            )
        return Trajectory(result, client.turns)

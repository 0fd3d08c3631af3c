"""Makes the agent that a config names."""

from collections.abc import Collection
from pathlib import Path

from evolith.agents.config import AgentConfig
from evolith.agents.function import FunctionAgent, FunctionAgentConfig
from evolith.agents.prompt import PromptAgent
from evolith.core.ports import Agent
from evolith.plugins import load_callable


def build_agent(config: AgentConfig, base: Path, fields: Collection[str]) -> Agent:
    """Return the agent of a run.

    Args:
        config: The table `[agent]`.
        base: The config's folder, where the user's function is looked for.
        fields: Names of the further fields of the tasks that the agent may see (`tasks.fields`).

    Raises:
        ConfigError: the user's function cannot be used, or the template names a field that the
            agent may not see.
    """
    if isinstance(config, FunctionAgentConfig):
        return FunctionAgent(config, load_callable(config.function, base))
    return PromptAgent(config, fields)

"""The table `[agent]`: one class for each kind."""

from typing import Annotated

from pydantic import Field

from evolith.agents.function import FunctionAgentConfig
from evolith.agents.prompt import PromptAgentConfig

AgentConfig = Annotated[PromptAgentConfig | FunctionAgentConfig, Field(discriminator="kind")]
"""How the artifact is run on a task; `kind` chooses."""

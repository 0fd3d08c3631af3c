"""Every agent keeps the contract, by the suite that ships."""

from pathlib import Path

import pytest

from evolith.agents.build import build_agent
from evolith.agents.function import FunctionAgentConfig
from evolith.agents.prompt import PromptAgentConfig
from evolith.core.artifact import Artifact
from evolith.core.ports import Agent
from evolith.testing.agent_suite import AgentSuite

PIPELINE = """
def plain(components, task, chat):
    draft = chat(components["prompt.md"] + str(vars_of(task)))
    return chat([{"role": "user", "content": draft}])

async def coroutine(components, task, chat):
    return await chat(components["prompt.md"] + str(vars_of(task)))

def vars_of(task):
    return [task.id, task.input, dict(task.fields), task.answer, dict(task.hidden)]
"""


class TestPromptAgent(AgentSuite):
    @pytest.fixture
    def agent(self, tmp_path: Path) -> Agent:
        config = PromptAgentConfig(template="{input} {hint} {steps}")
        return build_agent(config, tmp_path, ["hint", "steps"])

    @pytest.fixture
    def artifact(self) -> Artifact:
        demo = '{"input": "1", "output": "2", "fields": {"hint": "h", "steps": []}}'
        return Artifact.of({"prompt.md": "Answer.", "demos.jsonl": demo})


@pytest.mark.parametrize("name", ["plain", "coroutine"])
class TestFunctionAgent(AgentSuite):
    @pytest.fixture
    def agent(self, tmp_path: Path, name: str) -> Agent:
        (tmp_path / "contract_pipeline.py").write_text(PIPELINE)
        config = FunctionAgentConfig(function=f"contract_pipeline:{name}")
        return build_agent(config, tmp_path, [])

    @pytest.fixture
    def artifact(self) -> Artifact:
        return Artifact.of({"prompt.md": "Answer."})

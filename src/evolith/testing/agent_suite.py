"""What every agent must do, as tests to inherit.

An agent says which artifact it runs::

    class TestMyAgent(AgentSuite):
        @pytest.fixture
        def agent(self) -> Agent:
            return MyAgent()

        @pytest.fixture
        def artifact(self) -> Artifact:
            return Artifact.of({"prompt.md": "Answer."})
"""

from types import MappingProxyType

import anyio
import pytest

from evolith.core.artifact import Artifact
from evolith.core.messages import Request, Response
from evolith.core.ports import Agent, Chat
from evolith.core.rollout import Trajectory
from evolith.core.task import Task
from evolith.errors import ArtifactError, BudgetExceeded
from evolith.testing.recording_chat import RecordingChat

ANSWER, HIDDEN = "secret-answer-4711", "secret-test-0815"
"""What only a scorer may see."""


class AgentSuite:
    """The contract of `Agent`, for agents that call the model at least once."""

    @pytest.fixture
    def agent(self) -> Agent:
        """Return the agent under test."""
        raise NotImplementedError

    @pytest.fixture
    def artifact(self) -> Artifact:
        """Return an artifact that it runs."""
        raise NotImplementedError

    @pytest.fixture
    def task(self) -> Task:
        """Return a task that is not sealed, as a careless caller would pass it."""
        return Task(
            "t1",
            "What is 2 + 2?",
            fields=MappingProxyType({"hint": "count", "steps": [1, 2]}),
            answer=ANSWER,
            hidden=MappingProxyType({"test": HIDDEN}),
        )

    def run(self, agent: Agent, artifact: Artifact, task: Task, chat: Chat) -> Trajectory:
        """Run the agent."""

        async def solve() -> Trajectory:
            return await agent.run(artifact, task, chat)

        return anyio.run(solve)

    def test_the_artifact_is_accepted(self, agent: Agent, artifact: Artifact) -> None:
        """What can be run is not refused."""
        agent.check(artifact)

    def test_an_empty_artifact_is_refused(self, agent: Agent) -> None:
        """There is nothing to run, and nothing to evolve."""
        with pytest.raises(ArtifactError):
            agent.check(Artifact.of({}))

    def test_the_model_is_asked_and_its_words_are_in_the_trajectory(
        self, agent: Agent, artifact: Artifact, task: Task
    ) -> None:
        """The trajectory shows what was asked and what was said."""
        chat = RecordingChat("the reply")
        trajectory = self.run(agent, artifact, task, chat)
        assert chat.requests
        assert any(turn.content == "the reply" for turn in trajectory.turns)
        assert any(task.input in turn.content for turn in trajectory.turns)

    def test_no_request_holds_the_answer(
        self, agent: Agent, artifact: Artifact, task: Task
    ) -> None:
        """What only the scorer may see is in no request and in no turn."""
        chat = RecordingChat()
        trajectory = self.run(agent, artifact, task, chat)
        said = [request.dump() for request in chat.requests]
        said += [turn.content for turn in trajectory.turns] + [trajectory.output]
        assert not [text for text in said if ANSWER in text or HIDDEN in text]

    def test_the_same_task_makes_the_same_requests(
        self, agent: Agent, artifact: Artifact, task: Task
    ) -> None:
        """Otherwise a recording could not be replayed."""
        chats = RecordingChat(), RecordingChat()
        for chat in chats:
            self.run(agent, artifact, task, chat)
        assert chats[0].requests == chats[1].requests

    def test_neither_task_nor_artifact_is_changed(
        self, agent: Agent, artifact: Artifact, task: Task
    ) -> None:
        """Other rollouts use them too."""
        before = task.hash, artifact.hash
        self.run(agent, artifact, task, RecordingChat())
        assert (task.hash, artifact.hash) == before

    def test_an_exhausted_budget_passes_through(
        self, agent: Agent, artifact: Artifact, task: Task
    ) -> None:
        """The engine must learn of it as it was raised."""

        async def exhausted(request: Request) -> Response:
            raise BudgetExceeded(f"no tokens for {request.max_tokens} more")

        with pytest.raises(BudgetExceeded):
            self.run(agent, artifact, task, exhausted)

"""The protocols at which others plug in: models, agents and scorers."""

from typing import Protocol, runtime_checkable

from evolith.core.artifact import Artifact
from evolith.core.messages import Request, Response
from evolith.core.rollout import Trajectory
from evolith.core.score import Score
from evolith.core.task import Task


@runtime_checkable
class Model(Protocol):
    """A language model.

    **Concurrency.** `complete` is called by many workers at once.
    **Accounting.** A model does not count, retry, cache or record: the gateway does.
    """

    @property
    def name(self) -> str:
        """How the config names it, such as `openai:gpt-4o-mini`."""
        ...

    @property
    def remote(self) -> bool:
        """Whether a call may be billed although its answer never arrives here."""
        ...

    def most_tokens_in(self, request: Request) -> int:
        """Return a bound that the prompt tokens of `request` cannot pass."""
        ...

    async def complete(self, request: Request) -> Response:
        """Ask once.

        Raises:
            ModelFailure: this call gave no complete answer.
            ProviderError: no call of this run can succeed.
        """
        ...

    async def aclose(self) -> None:
        """Free connections and memory."""
        ...


class Chat(Protocol):
    """A metered way to call a model, bound to one rollout or one operator call.

    Every call reserves its worst case in the budget, is recorded, and is never paid twice.
    """

    async def __call__(self, request: Request) -> Response:
        """Ask the model.

        Raises:
            ModelFailure: the call gave no complete answer, after the retries that the rules allow.
            RunStopped: the budget does not hold the call, or the run is being stopped.
            ProviderError: the provider refuses the whole run.
        """
        ...


@runtime_checkable
class Agent(Protocol):
    """How an artifact is run on a task."""

    def check(self, artifact: Artifact) -> None:
        """Refuse an artifact that this agent cannot run, before anything is paid.

        Raises:
            ArtifactError: naming the path and what is wrong with it.
        """
        ...

    async def run(self, artifact: Artifact, task: Task, chat: Chat) -> Trajectory:
        """Solve a sealed task. An exception becomes a failure of the rollout, never a 0.

        Args:
            artifact: What evolves.
            task: Without its answer.
            chat: The metered model of the task role.
        """
        ...


@runtime_checkable
class Scorer(Protocol):
    """How a trajectory is judged. Runs in this process, out of the candidate's reach."""

    async def score(self, task: Task, trajectory: Trajectory, chat: Chat) -> Score:
        """Judge a trajectory.

        Args:
            task: With its answer.
            trajectory: What the agent did.
            chat: The metered model of the judge role.

        Raises:
            Exception: anything raised is recorded as a failure at the scorer boundary.
        """
        ...

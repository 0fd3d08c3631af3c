"""`function`: the user's own Python judges."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Literal

from pydantic import Field

from evolith.core.ports import Chat
from evolith.core.rollout import Trajectory
from evolith.core.score import Score
from evolith.core.task import Task
from evolith.errors import EvolithError
from evolith.plugins import call
from evolith.scorers.base import ScorerSettings
from evolith.scorers.outcome import to_score, without_answer
from evolith.scorers.redact import redact


class FunctionConfig(ScorerSettings):
    """A function of your own judges: `def grade(task, trajectory)`, sync or async.

    It returns a number from 0 to 1, a bool, a pair (value, feedback), a mapping with `score`,
    `feedback` and `passed`, or a `Score`. Where its feedback holds the answer, that is taken out.
    """

    kind: Literal["function"] = "function"
    """Calls Python."""
    function: str
    """`module:function`; the module is a file beside the config or an installed one."""
    threshold: float = Field(default=1.0, gt=0, le=1)
    """Value from which a task counts as passed, where the function does not say."""


class Function:
    """Calls the user's function with the task, its answer included, and the trajectory.

    Args:
        config: Its settings.
        function: What it names.
    """

    def __init__(self, config: FunctionConfig, function: Callable[..., object]) -> None:
        self._config, self._function = config, function

    async def score(self, task: Task, trajectory: Trajectory, chat: Chat) -> Score:  # noqa: ARG002 - the protocol
        """Judge a trajectory.

        Raises:
            EvolithError: the function raised, or returned what is no score.
        """
        own = replace(  # the function may sort or fill what it is given
            task,
            answer=deepcopy(task.answer),
            fields=deepcopy(dict(task.fields)),
            hidden=deepcopy(dict(task.hidden)),
        )
        try:
            result = await call(self._function, own, trajectory)
            score = to_score(result, self._config.threshold)
        except EvolithError as error:
            if self._config.reveal_answer:
                raise
            where = error.where or self._config.function
            raise EvolithError(redact(error.message, task), where=where, fix=error.fix) from None
        return score if self._config.reveal_answer else without_answer(score, task)

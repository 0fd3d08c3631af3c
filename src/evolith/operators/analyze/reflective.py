"""GEPA's reflective dataset: what was asked, what was said, and what the scorer said of it."""

from dataclasses import dataclass

from evolith.operators.proposal import Proposal, Record
from evolith.operators.protocols import Context


@dataclass(frozen=True, slots=True)
class ReflectiveRecords:
    """Makes one record of each scored rollout of the minibatch, in task order."""

    async def analyze(self, proposal: Proposal, context: Context) -> tuple[Record, ...]:  # noqa: ARG002 - the protocol
        """Return the evidence. The tasks' answers are no part of it."""
        tasks = {task.id: task for task in proposal.tasks}
        return tuple(
            Record(
                tasks[rollout.task].input,
                rollout.trajectory.output if rollout.trajectory else "",
                rollout.score.feedback,
                rollout.score.value,
            )
            for rollout in proposal.before
            if rollout.score is not None
        )

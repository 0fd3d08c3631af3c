"""Search over demonstrations: solved train tasks that are shown to the agent as chat turns."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evolith.agents.demos import Demo, read_demos, write_demos
from evolith.core.ports import Scorer
from evolith.core.task import Task, as_text
from evolith.operators.proposal import Proposal
from evolith.operators.protocols import Context, Draft, NothingProposed
from evolith.scorers.base import AnswerScorer

FRESH = 0.5
"""Chance of a whole new set where the parent has demonstrations already."""


@dataclass(frozen=True, slots=True)
class Demonstrate:
    """Draws a set of demonstrations, or exchanges some of the parent's.

    The tasks of the minibatch are never shown, since the child is about to be judged on them.
    Sets are balanced over the answers where these are few.

    Args:
        path: The component that holds the demonstrations.
        most: Demonstrations in a set.
        solved: Returns train tasks with an output that is known to be right, as known when the
            proposal was selected.
    """

    path: str
    most: int
    solved: Callable[[Proposal], Sequence[tuple[Task, str]]]

    async def mutate(self, proposal: Proposal, context: Context) -> Draft:
        """Return the parent with another set of demonstrations. Makes no model call."""
        (parent,) = proposal.parents
        rng = context.rng("demonstrate")
        judged = {task.id for task in proposal.tasks}
        usable = [
            Demo(task.input, output, task.fields)
            for task, output in self.solved(proposal)
            if task.id not in judged
        ]
        if not usable:
            raise NothingProposed("no_solved_tasks", "no solved train task can be shown yet")
        shown = read_demos(parent.artifact.get(self.path) or "")
        if shown and rng.random() >= FRESH:
            demos, how = self._exchange(shown, usable, rng)
        else:
            demos, how = _balanced(usable, self.most, rng), "a new set"
        text = write_demos(demos)
        if text == parent.artifact.get(self.path):
            raise NothingProposed("unchanged", "the drawn set is the parent's own")
        rationale = f"Shows {len(demos)} solved train tasks: {how}."
        return Draft(parent.artifact.replace(self.path, text), rationale)

    def _exchange(
        self, shown: Sequence[Demo], usable: Sequence[Demo], rng: random.Random
    ) -> tuple[list[Demo], str]:
        others = [demo for demo in usable if demo not in shown]
        out = rng.randint(1, max(1, len(shown) // 2))
        kept = rng.sample(list(shown), len(shown) - out)
        room = max(0, self.most - len(kept))
        fresh = _balanced(others, min(room, out + rng.randint(0, 1)), rng) if others else []
        demos = [*kept, *fresh]
        rng.shuffle(demos)
        return demos, f"{len(fresh)} new, {out} fewer of the parent's"


def _balanced(usable: Sequence[Demo], most: int, rng: random.Random) -> list[Demo]:
    """Draw up to `most`, going round the distinct outputs so that none is shown far more often."""
    by_output: dict[str, list[Demo]] = {}
    for demo in usable:
        by_output.setdefault(demo.output, []).append(demo)
    piles = [rng.sample(pile, len(pile)) for _, pile in sorted(by_output.items())]
    rng.shuffle(piles)
    drawn: list[Demo] = []
    while len(drawn) < most and any(piles):
        for pile in piles:
            if pile and len(drawn) < most:
                drawn.append(pile.pop())
    rng.shuffle(drawn)
    return drawn


def answer_text(task: Task, scorer: Scorer) -> str | None:
    """Return a right output for a task, or None where its answer does not tell one.

    Args:
        task: With its answer; a list holds several, of which the first is taken.
        scorer: One that compares with the answer knows what is right as an output.
    """
    if task.answer is None:
        return None
    if isinstance(scorer, AnswerScorer):
        return scorer.example(task)
    answer = task.answer[0] if isinstance(task.answer, list) and task.answer else task.answer
    return as_text(answer)

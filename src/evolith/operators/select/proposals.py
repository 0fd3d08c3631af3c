"""The usual selection: a parent by a rule, a minibatch, and a mutation operator by weight."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evolith.archive.view import Member, View
from evolith.core.artifact import Artifact
from evolith.operators.batch import minibatch
from evolith.operators.protocols import Context, Selection
from evolith.operators.select.merge import MergeRule
from evolith.operators.weights import choose

Parent = Callable[[View, random.Random], Member]
"""A rule that chooses a parent."""


@dataclass(frozen=True, slots=True)
class SelectProposals:
    """Chooses what each item is made from.

    Args:
        parent: The rule that chooses a parent.
        operators: Mutation operators by name, each with its weight.
        editable: Names the components of an artifact that an operator edits one at a time; an
            operator that is not named edits what it likes.
        minibatch: Tasks in a minibatch.
        same_minibatch: Whether all items share one minibatch, so that a parent's rollouts on it
            are paid once.
        merge: When and what to merge, or None.
    """

    parent: Parent
    operators: Mapping[str, float]
    editable: Mapping[str, Callable[[Artifact], tuple[str, ...]]]
    minibatch: int
    same_minibatch: bool = False
    merge: MergeRule | None = None

    async def select(self, view: View, context: Context) -> Selection | None:
        """Return what to try next."""
        if self.merge is not None:
            merge = self.merge.find(view, context.rng("merge"))
            if merge is not None:
                return merge
        member = self.parent(view, context.rng("select"))
        operator = choose(self.operators, context.rng("operator"))
        turn = 0 if self.same_minibatch else context.ordinal
        tasks = minibatch(context.tasks.train, self.minibatch, turn, context.seed)
        components: tuple[str, ...] = ()
        cursor = member.turn
        if operator in self.editable:
            paths = self.editable[operator](member.candidate.artifact)
            components = (paths[cursor % len(paths)],)
            cursor += 1
        return Selection((member.candidate.id,), tasks, operator, components, cursor)

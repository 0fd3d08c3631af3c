"""What a free worker does next: fuse, judge, leave out, repair, or look."""

from collections.abc import Callable
from dataclasses import dataclass, field

from evolith.algorithms.flash.board import Board
from evolith.algorithms.flash.config import FlashConfig
from evolith.archive.view import View
from evolith.core.artifact import Artifact
from evolith.operators.protocols import Context, Selection

WATCH = 10
"""Passed tasks that are run again on each new line, to see what it lost."""
SURPRISED = 0.1
"""While more than this share of them was lost, further ones are run again."""
ASKED = 4
"""Stuck tasks of different kinds that a leave-out is tried on."""


@dataclass(slots=True)
class SelectNext:
    """Chooses the next item from the board, always on the newest line.

    Args:
        board: Where the run stands.
        config: The algorithm's settings.
        editable: Names the components that a repair may rewrite, taken in turn.
    """

    board: Board
    config: FlashConfig
    editable: Callable[[Artifact], tuple[str, ...]]
    _leave: list[str] = field(default_factory=list)
    """Parts that are still to be left out."""
    _kinds: tuple[str, ...] = ()
    """The stuck tasks that they are left out for."""
    _pruned_for: set[tuple[int, str]] = field(default_factory=set)
    """Stuck tasks, with the move at which harm was looked for."""
    unstuck: int = 0
    """How often everything was looked at again, since nothing was left to do."""

    async def select(self, view: View, context: Context) -> Selection | None:  # noqa: ARG002 - the protocol
        """Return what to do next, or None while there is nothing to begin."""
        board = self.board
        board.sync()
        if board.fusing:
            return None  # the line is about to move
        found = self._fuse() or self._judge() or self._leave_out(context)
        if found is not None:
            return found
        return self._repair(context) or self._look(context) or self._again(context)

    def _fuse(self) -> Selection | None:
        board = self.board
        if board.freed and not board.leaving and not self._leave:
            parts = tuple(part for part in board.freed if part in board.parts)
            board.freed = []
            if parts:
                return Selection((board.line, *parts), self._kinds, "prune")
        coming = sum(not self._stuck(task) for task in board.focus.values())
        if not board.held or len(board.held) < coming:
            return None
        if not self.config.ahead and (board.judging or board.line != board.champion):
            return None
        held = board.held if self.config.merge else board.held[:1]
        return Selection((board.line, *held), (), "fuse")

    def _judge(self) -> Selection | None:
        board = self.board
        if board.judging or board.line == board.champion or board.line in board.judged:
            return None
        return Selection((board.line,), (), "judge")

    def _leave_out(self, context: Context) -> Selection | None:
        board = self.board
        if not self.config.prune:
            return None
        if not self._leave and not board.leaving:
            stuck = [
                task
                for task, look in board.looks.items()
                if look.move == board.moves and not look.passed and self._stuck(task)
            ]
            new = [task for task in stuck if (board.moves, task) not in self._pruned_for]
            if not new or not board.parts:
                return None
            self._kinds = self._different(new, context)
            self._pruned_for.update((board.moves, task) for task in new)
            self._leave = list(board.parts)
        while self._leave:
            part = self._leave.pop(0)
            if part in board.parts:
                return Selection((board.line, part), self._kinds, "leave_out")
        return None

    def _different(self, stuck: list[str], context: Context) -> tuple[str, ...]:
        board, kinds = self.board, list[str]()
        for task in context.rng("leave_out").sample(stuck, len(stuck)):
            said = board.looks[task].feedback
            if not any(board.kin.similar(said, board.looks[k].feedback) for k in kinds):
                kinds.append(task)
        return tuple(kinds[:ASKED])

    def _repair(self, context: Context) -> Selection | None:
        board = self.board
        open_tasks = [
            task
            for task, look in board.looks.items()
            if look.move == board.moves
            and not look.passed
            and not (self._stuck(task) and board.tried.get(task) == board.moves)
            and task not in board.focus.values()
            and not self._answered(look.feedback)
        ]
        if not open_tasks:
            return None
        rng = context.rng("select")
        task = min(open_tasks, key=lambda name: (board.useless[name], rng.random()))
        others = board.mates(task, board.line, self.config.minibatch - 1, known=True)
        if not others and not board.kin.tells(board.looks[task].feedback):
            # What was said tells nothing: other failures are shown beside this one.
            rest = [name for name in open_tasks if name != task]
            others = rng.sample(rest, min(len(rest), self.config.minibatch - 1))
        paths = self.editable(board.archive.candidate(board.line).artifact)
        path = paths[context.ordinal % len(paths)]
        return Selection((board.line,), (task, *others), "reflect", (path,))

    def _answered(self, feedback: str) -> bool:
        """Say whether a repair of the same fault is under way or waits to be fused."""
        return any(self.board.kin.similar(feedback, said) for said in self.board.said.values())

    def _look(self, context: Context) -> Selection | None:
        board = self.board
        running = set(board.looking.values())
        names = [task.id for task in context.tasks.train if task.id not in running]
        old = [
            name
            for name in names
            if name not in board.looks or board.looks[name].move != board.moves
        ]
        won = board.newly_won()
        first = [name for name in old if name not in board.looks] or [
            name
            for name in old
            if not board.looks[name].passed
            and name not in won
            and not self._answered(board.looks[name].feedback)
        ]
        if not first:
            if board.watched >= WATCH and board.surprises < SURPRISED * board.watched:
                return None
            rest = [name for name in old if board.looks[name].passed or name in won]
            if not rest:
                return None
            board.watched += 1
            first = [context.rng("look").choice(rest)]
        return Selection((board.line,), (first[0],), "look")

    def _again(self, context: Context) -> Selection | None:
        """With nothing left to do, look at everything again and let stuck tasks be tried again."""
        board = self.board
        if board.busy or board.held:
            return None
        self.unstuck += 1
        board.watched = -len(context.tasks.train)
        found = self._look(context)
        if found is None:
            board.tried.clear()
            found = self._repair(context)
        return found

    def _stuck(self, task: str) -> bool:
        return self.board.useless[task] >= self.config.stuck

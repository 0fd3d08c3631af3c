"""Where a flash run stands: the line, what was won and lost on it, and what is under way."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice

from evolith.algorithms.flash.kin import Kin
from evolith.archive.archive import Archive
from evolith.archive.state import State
from evolith.core.candidate import SEED
from evolith.core.events import Decided, Selected
from evolith.core.task import Split

RECENT = 40
"""Latest parts of the line whose tasks count as won."""


@dataclass(frozen=True, slots=True)
class Look:
    """What is known of a train task.

    Args:
        move: The move of the line on which it was last run.
        passed: Whether it was passed.
        feedback: What the scorer said.
    """

    move: int
    passed: bool
    feedback: str


@dataclass(slots=True)
class Board:
    """Folds the decisions of a run into what the next selection needs to know.

    Args:
        archive: The run's archive.
        kin: Which failures are alike.
        patience: Lost comparisons after which the line goes back to the champion.
    """

    archive: Archive
    kin: Kin
    patience: int
    line: str = SEED
    """The candidate that new repairs begin from."""
    moves: int = 0
    """How often the line was moved."""
    parts: tuple[str, ...] = ()
    """The changes that the line is made of, as the candidates that brought them."""
    champion: str = SEED
    champion_parts: tuple[str, ...] = ()
    lost: int = 0
    """Comparisons lost since the last proof."""
    looks: dict[str, Look] = field(default_factory=dict)
    useless: Counter[str] = field(default_factory=Counter)
    """Useless repairs in a row, by task."""
    tried: dict[str, int] = field(default_factory=dict)
    """By task, the move at which it was last repaired."""
    held: list[str] = field(default_factory=list)
    """Children that won and wait to be fused."""
    freed: list[str] = field(default_factory=list)
    """Parts without which stuck tasks were passed."""
    won: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By held or fused child, the tasks that it won."""
    focus: dict[str, str] = field(default_factory=dict)
    """By item under way, the task that it repairs."""
    said: dict[str, str] = field(default_factory=dict)
    """By item under way or held child, the feedback that it answers."""
    looking: dict[str, str] = field(default_factory=dict)
    """By item under way, the task that it runs."""
    leaving: set[str] = field(default_factory=set)
    """Items under way that leave a part out."""
    judged: set[str] = field(default_factory=set)
    judging: str = ""
    fusing: str = ""
    watched: int = 0
    """Passed tasks that were run again since the last move."""
    surprises: int = 0
    """Of these, how many were lost."""
    _parts_at: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The parts of each line that was ever there."""
    _begun: int = 0
    _ended: int = 0

    def sync(self) -> None:
        """Take in what was selected and decided since the last time."""
        state = self.archive.state
        for event in islice(state.decided.values(), self._ended, None):
            if event.item in state.selected:
                self._end(event, state.selected[event.item], state)
        self._ended = len(state.decided)
        for selected in islice(state.selected.values(), self._begun, None):
            if selected.item not in state.decided:
                self._begin(selected)
        self._begun = len(state.selected)

    @property
    def busy(self) -> bool:
        """Whether anything is under way."""
        return bool(self.focus or self.looking or self.leaving or self.judging or self.fusing)

    def expected(self, task: str) -> bool:
        """Say whether the line is thought to pass a task."""
        look = self.looks.get(task)
        return (look is not None and look.passed) or task in self.newly_won()

    def newly_won(self) -> set[str]:
        """Return the tasks that the latest parts of the line won."""
        return {task for part in self.parts[-RECENT:] for task in self.won.get(part, ())}

    def mates(self, task: str, line: str, most: int, *, known: bool) -> list[str]:
        """Return tasks that failed as `task` did, first those seen failing on this very line.

        Args:
            task: The task that is repaired.
            line: The candidate that it is repaired on.
            most: How many at most.
            known: Only those seen failing on this very line.
        """
        seen: list[str] = []
        maybe: list[str] = []
        rows = self.archive.state.rollouts.get((line, Split.TRAIN), {})
        for other, look in self.looks.items():
            if other == task or not self.kin.kin(task, other):
                continue
            row = rows.get((other, 0))
            if row is None and not look.passed:
                maybe.append(other)
            elif row is not None and row.value is not None and not row.passed:
                seen.append(other)
        return (seen if known else seen + maybe)[:most]

    def _begin(self, selected: Selected) -> None:
        item = selected.item
        match selected.operator:
            case "reflect":
                task = selected.tasks[0]
                self.focus[item] = task
                self.said[item] = self.looks[task].feedback if task in self.looks else ""
            case "look":
                self.looking[item] = selected.tasks[0]
            case "leave_out":
                self.leaving.add(item)
            case "judge":
                self.judging = item
            case _:
                self.fusing = item

    def _end(self, event: Decided, selected: Selected, state: State) -> None:
        match selected.operator:
            case "reflect":
                self._end_reflect(event, selected, state)
            case "look":
                self._end_look(selected)
            case "leave_out":
                self.leaving.discard(event.item)
                if event.verdict.outcome == "held":
                    self.freed.append(selected.parents[1])
            case "judge":
                self._end_judge(event)
            case _:
                self._end_fuse(event, selected)

    def _end_look(self, selected: Selected) -> None:
        self.looking.pop(selected.item, None)
        (task,) = selected.tasks
        rollout = self.archive.rollout(selected.parents[0], task, 0)
        if rollout is None or rollout.value is None:
            # Nothing can be said of it here: it is neither repaired nor looked at again.
            if selected.parents[0] == self.line:
                self.looks[task] = Look(self.moves, passed=True, feedback="")
            return
        if not rollout.passed:
            self.kin.hear(task, rollout.feedback)
        if selected.parents[0] != self.line:
            return
        self.surprises += self.moves > 0 and self.expected(task) and not rollout.passed
        self.looks[task] = Look(self.moves, bool(rollout.passed), rollout.feedback)

    def _end_reflect(self, event: Decided, selected: Selected, state: State) -> None:
        task = selected.tasks[0]
        self.focus.pop(event.item, None)
        said = self.said.pop(event.item, "")
        self.tried[task] = self.moves
        if event.verdict.outcome == "held" and event.candidate is not None:
            rows = state.rollouts.get((event.candidate, Split.TRAIN), {})
            passed = [name for (name, attempt), row in rows.items() if row.passed and not attempt]
            self.held.append(event.candidate)
            self.said[event.candidate] = said
            self.won[event.candidate] = tuple(passed)
            self.useless[task] = 0
        elif event.verdict.code == "passes":
            self.useless[task] = 0
            if selected.parents[0] == self.line:
                self.looks[task] = Look(self.moves, passed=True, feedback="")
        else:
            self.useless[task] += 1

    def _end_fuse(self, event: Decided, selected: Selected) -> None:
        self.fusing = ""
        used = selected.parents[1:]
        for child in used:
            self.said.pop(child, None)
        self.held = [child for child in self.held if child not in used]
        self.freed = [part for part in self.freed if part not in used]
        if event.verdict.outcome != "held" or event.candidate is None:
            return
        if selected.operator == "prune":
            parts = tuple(part for part in self.parts if part not in used)
            self.useless.subtract({task: self.useless[task] for task in selected.tasks})
        else:
            parts = (*self.parts, *used)
        self._move(event.candidate, parts)

    def _end_judge(self, event: Decided) -> None:
        self.judging = ""
        if event.candidate is None:
            return
        self.judged.add(event.candidate)
        if event.verdict.outcome == "accepted":
            self.champion, self.lost = event.candidate, 0
            self.champion_parts = self._parts_at.get(event.candidate, ())
        elif event.verdict.code != "superseded":
            self.lost += 1
            if self.lost >= self.patience:
                self.lost, self.held = 0, []
                self._move(self.champion, self.champion_parts)

    def _move(self, line: str, parts: tuple[str, ...]) -> None:
        self.line, self.parts = line, parts
        self._parts_at[line] = parts
        self.moves += 1
        self.watched = self.surprises = 0

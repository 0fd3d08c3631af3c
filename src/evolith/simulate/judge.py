"""The judge of a simulation: it knows true scores, and the optimiser does not see it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from evolith.archive.archive import Archive
from evolith.archive.state import Entry
from evolith.core.candidate import Candidate
from evolith.core.events import Called, CandidateAdded, RolloutEnded, Selected
from evolith.core.task import Split
from evolith.simulate.marks import marks_in
from evolith.simulate.world import World

NO_DECISION = (Called, CandidateAdded, RolloutEnded, Selected)
"""Events after which the champion is not looked at: they are many and decide nothing."""


@dataclass(frozen=True, slots=True)
class Moment:
    """How far an optimiser was.

    Args:
        seconds: Since it began.
        calls: That had ended.
        tokens: That were charged.
    """

    seconds: float
    calls: int
    tokens: int


@dataclass(slots=True)
class Judge:
    """Is told what an optimiser accepts, and when its own choice changes.

    Args:
        world: What tells the truth.
        target: The true score to reach.
    """

    world: World
    target: float
    hit: Moment | None = None
    """When some accepted candidate truly reached the target."""
    pick: Moment | None = None
    """When the candidate that the optimiser itself would return did so."""
    accepted: int = 0
    best: float = 0.0
    """The best true score among the accepted candidates."""
    own: float = 0.0
    """What the optimiser believes of its choice."""
    true: float = 0.0
    """What its choice is worth."""
    curve: list[tuple[float, int, float, float]] = field(default_factory=list)
    """Seconds, calls, own and true score of the choice, each time that it changed."""

    def accept(self, prompt: str, at: Moment) -> None:
        """Note that a candidate was accepted."""
        self.accepted += 1
        self.best = max(self.best, self.truth(prompt))
        if self.hit is None and self.best >= self.target:
            self.hit = at

    def choose(self, prompt: str, own: float, at: Moment) -> None:
        """Note what the optimiser would return now, and the score that it has measured for it."""
        self.own, self.true = own, self.truth(prompt)
        self.curve.append((at.seconds, at.calls, own, self.true))
        if self.pick is None and self.true >= self.target:
            self.pick = at

    def truth(self, prompt: str) -> float:
        """Return what a prompt is worth."""
        return self.world.true_score(marks_in(prompt))


@dataclass(slots=True)
class Follower:
    """Follows a run of Evolith for a judge: to be called after each recorded event.

    Args:
        judge: Who is told.
        clock: Returns seconds.
        reached: Called when the champion has truly reached the target.
    """

    judge: Judge
    clock: Callable[[], float]
    reached: Callable[[], None]
    _began: float = field(init=False)
    _seen: set[str] = field(default_factory=set)
    _chosen: tuple[str, float] = ("", 0.0)

    def __post_init__(self) -> None:
        self._began = self.clock()

    def __call__(self, archive: Archive, entry: Entry) -> None:
        """Look at the pool and the champion."""
        if isinstance(entry.event, NO_DECISION):
            return
        state = archive.state
        at = Moment(self.clock() - self._began, state.total.calls, state.total.tokens)
        for identity in state.pool:
            if identity not in self._seen:
                self._seen.add(identity)
                self.judge.accept(prompt_of(archive.candidate(identity)), at)
        champion = state.champion
        if champion is None:
            return
        chosen = champion, state.mean(champion, Split.VAL) or 0.0
        if chosen != self._chosen:
            self._chosen = chosen
            self.judge.choose(prompt_of(archive.candidate(champion)), chosen[1], at)
            if self.judge.pick is not None:
                self.reached()


def prompt_of(candidate: Candidate) -> str:
    """Return all text of a candidate."""
    return "\n".join(text for _, text in candidate.artifact.files)

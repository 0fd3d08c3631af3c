"""What the display of a running run shows, read from its archive."""

from dataclasses import dataclass

from evolith.archive.archive import Archive
from evolith.archive.state import State
from evolith.core.budget import Amount, Budget
from evolith.core.candidate import SEED
from evolith.core.events import Decided
from evolith.core.ids import rng_for
from evolith.core.overlap import Pulsed
from evolith.core.task import Split
from evolith.report.codes import makes_candidates
from evolith.report.data import Estimate
from evolith.report.measures import avg_at_k


@dataclass(frozen=True, slots=True)
class Figures:
    """A run at one moment."""

    champion: str | None
    """None until the seed is evaluated."""
    best: Estimate | None
    proposals: int
    accepted: int
    held: int
    stages: str
    """How the stages stood when they were looked at last; empty in a synchronous run."""
    spent: Amount
    seconds: float
    """Work time, earlier sessions included."""
    limit: str
    """The limit of which the largest share is used; empty without limits."""
    used: float
    """That share."""
    last: Decided | None

    @property
    def left(self) -> float | None:
        """Seconds until that limit at the speed so far, or None where nothing is known."""
        return self.seconds * (1 - self.used) / self.used if self.used > 0 else None


class Reader:
    """Reads figures; keeps the interval of a champion, which takes a while to compute.

    Args:
        budget: The limits of the run.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._best: tuple[str, Estimate | None] = ("", None)

    def read(self, archive: Archive, since: float) -> Figures:
        """Return the run as it stands, `since` seconds after its last event."""
        state = archive.state
        champion, spent, seconds = state.champion, state.total, state.seconds + since
        limit, used = self._tightest(spent, seconds)
        decided = [d for d in state.decided.values() if d.candidate != SEED]
        made = [d for d in decided if makes_candidates(_operator(state, d))]
        return Figures(
            champion=champion,
            best=self._interval(archive, champion) if champion else None,
            proposals=len(made),
            accepted=state.version,
            held=sum(d.verdict.outcome == "held" for d in decided),
            stages=_stages(state.overlap.pulses[-1]) if state.overlap.pulses else "",
            spent=spent,
            seconds=seconds,
            limit=limit,
            used=used,
            last=decided[-1] if decided else None,
        )

    def _interval(self, archive: Archive, champion: str) -> Estimate | None:
        if self._best[0] != champion:
            values = archive.state.values(champion, Split.VAL)
            scores = {task: (value,) for task, value in values.items()}
            self._best = (champion, avg_at_k(scores, rng_for("progress", champion)))
        return self._best[1]

    def _tightest(self, spent: Amount, seconds: float) -> tuple[str, float]:
        budget = self.budget
        shares = {
            "tokens": spent.tokens / budget.tokens if budget.tokens else 0.0,
            "money": float(spent.money / budget.money) if budget.money else 0.0,
            "rollouts": spent.rollouts / budget.rollouts if budget.rollouts else 0.0,
            "seconds": seconds / budget.seconds if budget.seconds else 0.0,
        }
        limit = max(shares, key=lambda name: shares[name])
        return (limit, min(1.0, shares[limit])) if shares[limit] else ("", 0.0)


def _operator(state: State, decided: Decided) -> str:
    selected = state.selected.get(decided.item)
    return selected.operator if selected else ""


def _stages(pulse: Pulsed) -> str:
    """Return what each stage works on and what waits for it, such as `check 3+1`."""
    shown = (
        f"{stage.name} {stage.busy}" + (f"+{stage.waiting}" if stage.waiting else "")
        for stage in pulse.stages
    )
    return ", ".join(shown)

"""What the tokens of a run went for: what is in use, and what was wasted, by cause."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from evolith.archive.state import State
from evolith.core.budget import Amount
from evolith.core.candidate import SEED
from evolith.core.events import Decided
from evolith.core.task import Split
from evolith.report.data import Cause, Use
from evolith.report.descent import ancestors

_CAUSES: Mapping[str, Cause] = {
    "stale": "stale",
    "discarded": "stale",
    "retracted": "retracted",
    "given_up": "given_up",
}
"""By the code of a rejection; any other one is plainly `rejected`."""
_LOST = ("given_up", "not_better", "superseded")
"""Codes of a comparison on validation that its candidate did not win."""
_ORDER: tuple[Cause, ...] = (
    "used",
    "rejected",
    "failed",
    "stale",
    "retracted",
    "given_up",
    "repair",
    "left_over",
    "lost",
    "under_way",
)


def uses(state: State, items: Mapping[str, Amount], repair: Amount) -> tuple[Use, ...]:
    """Return what everything that was spent went for; the parts add up to the whole.

    Args:
        state: The run.
        items: What each proposal cost: its operator calls and its child's rollouts; under no name
            what belongs to none.
        repair: What repair calls cost; they are in no item.
    """
    reader, found = _Uses(state), defaultdict[Cause, Amount](Amount)
    for item, amount in items.items():
        found[reader.cause(item)] += amount
    for item, cost in reader.lost_comparisons():
        cause = reader.cause(item)
        found[cause] -= cost
        found["given_up"] += cost
    found["repair"] += repair
    found["lost"] += state.lost
    return tuple(Use(cause, found[cause]) for cause in _ORDER if found[cause] != Amount())


@dataclass(slots=True)
class _Uses:
    state: State
    kept: frozenset[str] = field(init=False)
    """Accepted candidates and all that went into them."""
    makers: frozenset[str] = field(init=False)
    """The items that made these: also one that was refused, if a later item came back to it."""
    left_out: frozenset[str] = field(init=False)
    """Parts that were taken out of one of them again."""

    def __post_init__(self) -> None:
        candidates = self.state.candidates
        self.kept = ancestors(self.state, *self.state.pool)
        self.makers = frozenset(candidates[name].item for name in self.kept)
        pruned = [candidates[name] for name in self.kept if candidates[name].operator == "prune"]
        self.left_out = frozenset(part for event in pruned for part in event.parents[1:])

    def cause(self, item: str) -> Cause:
        """Return what became of an item, which says what its cost was for."""
        if item in ("", SEED) or item in self.makers:
            return "used"
        decided = self.state.decided.get(item)
        if decided is None:
            return "under_way"
        match decided.verdict.outcome:
            case "accepted":
                return "used"
            case "held":
                return self._held(decided)
            case "rejected":
                return _CAUSES.get(decided.verdict.code, "rejected")
            case _:
                return self._carrier(item) if decided.verdict.code == "fused" else "failed"

    def _held(self, decided: Decided) -> Cause:
        """Leaving a part out was of use once the part is gone; what else is held only waits."""
        parents = self.state.selected[decided.item].parents
        if decided.verdict.code == "frees" and not self.left_out.isdisjoint(parents[1:]):
            return "used"
        sessions = self.state.sessions
        return "under_way" if sessions and sessions[-1][1] is None else "left_over"

    def _carrier(self, item: str) -> Cause:
        """Return what became of the candidate that a stale change went into."""
        event = self.state.overlap.stale.get(item)
        carrier = self.state.candidates.get(event.candidate or "") if event else None
        return self.cause(carrier.item) if carrier else "failed"

    def lost_comparisons(self) -> Iterator[tuple[str, Amount]]:
        """Yield validation rollouts for nothing, by the item whose candidate they were for."""
        for decided in self.state.decided.values():
            candidate = self.state.candidates.get(decided.candidate or "")
            if candidate is None or candidate.item == decided.item:
                continue  # the item ends with its candidate, and counts as a whole
            if decided.verdict.code in _LOST:
                rows = self.state.rollouts.get((candidate.id, Split.VAL), {})
                yield candidate.item, sum((row.cost for row in rows.values()), start=Amount())

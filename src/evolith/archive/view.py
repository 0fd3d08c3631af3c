"""What operators see of the archive: a read-only picture at a stated version."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from evolith.core.candidate import Candidate


@dataclass(frozen=True, slots=True)
class Member:
    """An accepted candidate with its validation scores.

    Args:
        candidate: The candidate.
        val: Mean score by validation task; tasks whose rollouts all failed are missing.
        tries: How often it was selected as a parent so far.
        turn: Its place in the round of components, counted on from its parent's.
    """

    candidate: Candidate
    val: Mapping[str, float]
    tries: int = 0
    turn: int = 0
    mean: float = field(init=False)
    """The mean over the validation tasks that have a score; 0 where none has."""

    def __post_init__(self) -> None:
        mean = sum(self.val.values()) / len(self.val) if self.val else 0.0
        object.__setattr__(self, "mean", mean)


@dataclass(frozen=True)
class View:
    """The pool at a version.

    Args:
        version: Accepted changes so far.
        commits: Decisions so far.
        members: The accepted candidates in the order of acceptance, the seed first.
        merges: Pairs of parents that a merge was tried on, with the ancestor's id.
        merged: Accepted merges.
        last: Operator and outcome of the last decision.
        best: Id of the champion; where it is empty, the member with the best mean is it.
        tentative: Candidates that are ahead while their evaluation is under way, with what is back.
    """

    version: int
    commits: int
    members: tuple[Member, ...]
    merges: frozenset[tuple[str, str, str]] = frozenset()
    merged: int = 0
    last: tuple[str, str] = ("", "")
    best: str = ""
    tentative: tuple[Member, ...] = ()

    def __getitem__(self, candidate: str) -> Member:
        return self._by_id[candidate]

    @cached_property
    def _by_id(self) -> Mapping[str, Member]:
        return {member.candidate.id: member for member in (*self.tentative, *self.members)}

    @cached_property
    def champion(self) -> Member:
        """The member that was proved last, else that with the best mean, the earliest of equals."""
        if self.best:
            return self[self.best]
        return max(self.members, key=lambda member: member.mean)

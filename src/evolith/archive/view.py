"""What operators see of the archive: a read-only picture at a stated version."""

from collections.abc import Mapping
from dataclasses import dataclass

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

    @property
    def mean(self) -> float:
        """The mean over the validation tasks that have a score; 0 where none has."""
        return sum(self.val.values()) / len(self.val) if self.val else 0.0


@dataclass(frozen=True, slots=True)
class View:
    """The pool at a version.

    Args:
        version: Accepted changes so far.
        commits: Decisions so far.
        members: The accepted candidates in the order of acceptance, the seed first.
        merges: Pairs of parents that a merge was tried on, with the ancestor's id.
        merged: Accepted merges.
        last: Operator and outcome of the last decision.
    """

    version: int
    commits: int
    members: tuple[Member, ...]
    merges: frozenset[tuple[str, str, str]] = frozenset()
    merged: int = 0
    last: tuple[str, str] = ("", "")

    def __getitem__(self, candidate: str) -> Member:
        for member in self.members:
            if member.candidate.id == candidate:
                return member
        raise KeyError(candidate)

    @property
    def champion(self) -> Member:
        """The member with the best mean on validation, the earliest of equals."""
        return max(self.members, key=lambda member: member.mean)

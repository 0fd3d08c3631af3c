"""A candidate: an artifact with its parents and where it came from."""

from dataclasses import dataclass

from evolith.core.artifact import Artifact
from evolith.core.ids import SHORT, content_hash


@dataclass(frozen=True, slots=True)
class Candidate:
    """An artifact in its place in the lineage.

    Args:
        id: `seed`, or one made by `candidate_id`.
        artifact: What it is.
        parents: Ids of the candidates it was made from; none for the seed, two for a merge.
        item: The item (proposal) that made it; empty for the seed.
        operator: The mutation operator that made it.
        rationale: Why, in words for a reader.
        cursor: How many components were edited one after another on the way here; round-robin
            choice of the next component goes on from it.
    """

    id: str
    artifact: Artifact
    parents: tuple[str, ...] = ()
    item: str = ""
    operator: str = "seed"
    rationale: str = ""
    cursor: int = 0


SEED = "seed"
"""The id of the first candidate."""


def candidate_id(artifact: Artifact, item: str) -> str:
    """Return the id of a candidate: derived from its content and its item, the same on a resume."""
    return "c" + content_hash(f"{artifact.hash} {item}")[: SHORT - 4]

"""The archive of a run: its store, and the state that the events add up to."""

import json
from collections.abc import Callable, Sequence

from evolith.archive.state import Entry, State
from evolith.archive.store import Store
from evolith.archive.view import Member, View
from evolith.core.artifact import Artifact
from evolith.core.candidate import Candidate
from evolith.core.events import AnyEvent, Called, RolloutEnded, rollout_key
from evolith.core.ids import canonical_json, content_hash
from evolith.core.messages import Message
from evolith.core.rollout import Trajectory
from evolith.core.task import Split


class Archive:
    """Append events, read the state.

    Args:
        store: Where the events are kept.
        clock: Returns seconds since the epoch; injected so that tests own the time.
    """

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self.store = store
        self._clock = clock
        self._candidates: dict[str, Candidate] = {}
        self.state = State()
        for entry in store.entries():
            self.state.apply(entry)

    async def append(
        self, *events: AnyEvent, blobs: Sequence[str] = (), seconds: float = 0.0
    ) -> None:
        """Record events durably, then let the state take them in."""
        entries = [Entry(event, self._clock(), seconds) for event in events]
        known = {e.event.key for e in entries if self.store.find(e.event.key) is not None}
        await self.store.append(entries, blobs)
        for entry in entries:
            if entry.event.key not in known:
                self.state.apply(entry)

    def call(self, key: str) -> Called | None:
        """Return a recorded model call, or None."""
        found = self.store.find(key)
        return found.event if found and isinstance(found.event, Called) else None

    def rollout(self, candidate: str, task: str, attempt: int) -> RolloutEnded | None:
        """Return a recorded rollout with its texts, or None."""
        found = self.store.find(rollout_key(candidate, task, attempt))
        return found.event if found and isinstance(found.event, RolloutEnded) else None

    def trajectory(self, rollout: RolloutEnded) -> Trajectory | None:
        """Return what the agent did, or None where it failed."""
        return None if rollout.output is None else load_trajectory(self.store.blob(rollout.output))

    def candidate(self, identity: str) -> Candidate:
        """Return a candidate with its artifact.

        Raises:
            KeyError: the run has no such candidate.
        """
        if identity not in self._candidates:
            event = self.state.candidates[identity]
            self._candidates[identity] = Candidate(
                event.id,
                Artifact.of(json.loads(self.store.blob(event.artifact))),
                event.parents,
                event.item,
                event.operator,
                event.rationale,
                event.cursor,
            )
        return self._candidates[identity]

    def view(self) -> View:
        """Return what operators may see now."""
        tries: dict[str, int] = {}
        for selected in self.state.selected.values():
            for parent in selected.parents:
                tries[parent] = tries.get(parent, 0) + 1
        members = tuple(
            Member(self.candidate(c), self.state.values(c, Split.VAL), tries.get(c, 0))
            for c in self.state.pool
        )
        return View(self.state.version, self.state.commits, members)


def dump_artifact(artifact: Artifact) -> tuple[str, str]:
    """Return the blob of an artifact and its SHA-256."""
    text = canonical_json(artifact.as_dict())
    return text, content_hash(text)


def dump_trajectory(trajectory: Trajectory) -> tuple[str, str]:
    """Return the blob of a trajectory and its SHA-256."""
    turns = [[turn.role, turn.content] for turn in trajectory.turns]
    text = canonical_json({"output": trajectory.output, "turns": turns})
    return text, content_hash(text)


def load_trajectory(text: str) -> Trajectory:
    """Read a trajectory back from its blob."""
    data = json.loads(text)
    return Trajectory(data["output"], tuple(Message(role, said) for role, said in data["turns"]))

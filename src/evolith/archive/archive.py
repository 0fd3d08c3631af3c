"""The archive of a run: its store, and the state that the events add up to."""

import json
from collections import Counter
from collections.abc import Callable, Sequence

from evolith.archive.state import Entry, State
from evolith.archive.store import Store
from evolith.archive.view import Member, View
from evolith.core.artifact import Artifact
from evolith.core.candidate import SEED, Candidate
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
        self.watch: Watch | None = None
        """Called after each recorded event, for progress."""
        self.state = State()
        self._applied: set[str] = set()
        for entry in store.entries():
            self._apply(entry)

    async def append(
        self, *events: AnyEvent, blobs: Sequence[str] = (), seconds: float = 0.0
    ) -> None:
        """Record events durably, then let the state take them in, each once."""
        entries = [Entry(event, self._clock(), seconds) for event in events]
        await self.store.append(entries, blobs)
        for entry in entries:
            if self._apply(entry) and self.watch is not None:
                self.watch(self, entry)

    def _apply(self, entry: Entry) -> bool:
        """Let the state take in an event, unless it did so before."""
        if entry.event.key in self._applied:
            return False
        self._applied.add(entry.event.key)
        self.state.apply(entry)
        return True

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
        state = self.state
        tries, turns = Counter[str](), Counter[str]()
        for selected in state.selected.values():
            tries.update(selected.parents)
            if selected.components:
                turns.update(selected.parents)
        operators = {item: selected.operator for item, selected in state.selected.items()}
        verdicts = [(operators.get(i, SEED), d.verdict.outcome) for i, d in state.decided.items()]
        return View(
            version=state.version,
            commits=state.commits,
            members=tuple(self._member(c, tries[c], turns[c]) for c in state.pool),
            merges=frozenset(
                (selected.parents[0], selected.parents[1], selected.ancestor)
                for selected in state.selected.values()
                if selected.ancestor
            ),
            merged=verdicts.count(("merge", "accepted")),
            last=verdicts[-1] if verdicts else ("", ""),
        )

    def _member(self, identity: str, tries: int, turns: int) -> Member:
        candidate = self.candidate(identity)
        values = self.state.values(identity, Split.VAL)
        return Member(candidate, values, tries, candidate.cursor + turns)


Watch = Callable[[Archive, Entry], None]
"""Gets the archive and the event that was just recorded."""


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

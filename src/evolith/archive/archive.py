"""The archive of a run: its store, and the state that the events add up to."""

import json
from collections.abc import Callable, Sequence
from functools import cached_property

from evolith.archive.state import Entry, State
from evolith.archive.store import Store
from evolith.archive.view import Member, View
from evolith.core.artifact import Artifact
from evolith.core.candidate import Candidate
from evolith.core.events import AnyEvent, Called, RolloutEnded, Selected, rollout_key
from evolith.core.ids import canonical_json, content_hash
from evolith.core.messages import Message
from evolith.core.rollout import Trajectory
from evolith.core.task import Split


class Archive:
    """Append events, read the state.

    Args:
        store: Where the events are kept.
        clock: Returns seconds since the epoch; injected so that tests own the time.
        state: What the events in the store add up to; found out here unless given.
    """

    def __init__(
        self, store: Store, clock: Callable[[], float], state: State | None = None
    ) -> None:
        self.store = store
        self._clock = clock
        self._candidates: dict[str, Candidate] = {}
        self._members: dict[str, Member] = {}
        """The pool as it was seen last, in the order of acceptance."""
        self._changed: set[str] = set()
        """Those of them that are out of date, see `_note`."""
        self._view: View | None = None
        self.watch: Watch | None = None
        """Called after each recorded event, for progress."""
        self.state = state or State()
        for entry in store.entries() if state is None else ():
            self.state.apply(entry)

    async def append(
        self, *events: AnyEvent, blobs: Sequence[str] = (), seconds: float = 0.0
    ) -> None:
        """Record events durably, then let the state take them in, each once."""
        entries = [Entry(event, self._clock(), seconds) for event in events]
        recorded = self._recorded  # read before these are among them
        await self.store.append(entries, blobs)
        for entry in entries:
            if self._apply(entry, recorded) and self.watch is not None:
                self.watch(self, entry)

    def _apply(self, entry: Entry, recorded: set[str]) -> bool:
        """Let the state take in an event, unless it did so before."""
        key = entry.event.key
        if key in recorded:
            return False
        recorded.add(key)
        self.state.apply(entry)
        self._note(entry.event)
        return True

    def _note(self, event: AnyEvent) -> None:
        """Drop what an event has made out of date: the view, and members that are not as it says.

        Most events are calls and first rollouts of a child, which no view shows.
        """
        if isinstance(event, Called):
            return
        if isinstance(event, RolloutEnded):
            shown = (
                event.candidate in self._members or event.candidate in self.state.overlap.tentative
            )
            if not shown or event.split is not Split.VAL:
                return
            self._changed.add(event.candidate)
        elif isinstance(event, Selected):
            self._changed.update(event.parents)
        self._view = None

    def call(self, key: str) -> Called | None:
        """Return a recorded model call, or None."""
        found = self._find(key)
        return found if isinstance(found, Called) else None

    def rollout(self, candidate: str, task: str, attempt: int) -> RolloutEnded | None:
        """Return a recorded rollout with its texts, or None."""
        found = self._find(rollout_key(candidate, task, attempt))
        return found if isinstance(found, RolloutEnded) else None

    def _find(self, key: str) -> AnyEvent | None:
        """Return a recorded event; the store is not asked in vain, as it nearly always would be."""
        found = self.store.find(key) if key in self._recorded else None
        return found.event if found else None

    @cached_property
    def _recorded(self) -> set[str]:
        """The keys of all events; a report never asks for them."""
        return set(self.store.keys())

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
        if self._view is None:
            self._view = self._look()
        return self._view

    def _look(self) -> View:
        state = self.state
        for identity in self._changed:
            if identity in self._members:
                self._members[identity] = self._member(identity)
        self._changed.clear()
        for identity in state.pool[len(self._members) :]:
            self._members[identity] = self._member(identity)
        return View(
            version=state.version,
            commits=state.commits,
            members=tuple(self._members.values()),
            merges=frozenset(state.merges),
            merged=state.merged,
            last=state.last,
            best=state.proved or "",
            tentative=tuple(self._member(name) for name in state.overlap.tentative),
        )

    def _member(self, identity: str) -> Member:
        candidate, state = self.candidate(identity), self.state
        values = state.values(identity, Split.VAL)
        turn = candidate.cursor + state.turns[identity]
        return Member(candidate, values, state.tries[identity], turn)


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

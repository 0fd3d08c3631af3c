"""A run told event by event, for tests of whatever reads an archive."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

import anyio

from evolith.archive.archive import Archive, dump_artifact, dump_trajectory
from evolith.archive.state import Entry
from evolith.core.artifact import Artifact
from evolith.core.candidate import SEED
from evolith.core.events import (
    AnyEvent,
    Called,
    CandidateAdded,
    Decided,
    RolloutEnded,
    RunCreated,
    Selected,
    SessionEnded,
    SessionStarted,
    Verdict,
)
from evolith.core.ids import canonical_json, content_hash
from evolith.core.messages import Role
from evolith.core.rollout import Trajectory
from evolith.core.task import Split
from evolith.errors import Boundary
from evolith.testing.memory import MemoryStore

Result = float | Boundary
"""A score, passed from 0.5 on, or whose fault it is that there is none."""
Outcome = Literal["accepted", "rejected", "failed", "skipped", "held"]


class Story:
    """Collects the events of a run; each takes a second of its clock unless told otherwise.

    Args:
        name: The run's.
        counts: Tasks in each split.
        settings: The config as recorded.
    """

    def __init__(
        self,
        name: str = "story",
        counts: Mapping[Split, int] | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.now = 1000.0
        self._settings = canonical_json(settings or {})
        self._entries: list[Entry] = []
        self._blobs: list[str] = []
        self._started, self._decisions, self._version = self.now, 0, 0
        self.tell(
            RunCreated(name=name, config=self._settings, tasks="0" * 64, counts=dict(counts or {}))
        )

    def tell(self, event: AnyEvent, *, seconds: float = 0.0, after: float = 1.0) -> None:
        """Add an event that took `seconds`, `after` seconds later."""
        self.now += after
        self._entries.append(Entry(event, self.now, seconds))

    def session(self, number: int = 1) -> None:
        """Begin a session."""
        self._started = self.now
        self.tell(
            SessionStarted(
                number=number, version="0", settings=self._settings, fingerprint="a test"
            ),
            after=0,
        )

    def ended(self, reason: str = "finished", number: int = 1, message: str = "") -> None:
        """End a session."""
        seconds = self.now - self._started
        self.tell(
            SessionEnded(number=number, reason=reason, message=message, seconds=seconds), after=0
        )

    def candidate(
        self,
        identity: str,
        files: Mapping[str, str],
        parents: tuple[str, ...] = (),
        item: str = "",
        operator: str = SEED,
        rationale: str = "",
    ) -> None:
        """Add a candidate."""
        text, digest = dump_artifact(Artifact.of(files))
        self._blobs.append(text)
        self.tell(
            CandidateAdded(
                id=identity,
                artifact=digest,
                parents=parents,
                item=item,
                operator=operator,
                rationale=rationale,
                cursor=0,
            ),
            after=0,
        )

    def selected(
        self, item: str, parent: str, tasks: tuple[str, ...], operator: str, *others: str
    ) -> None:
        """Begin a proposal, from one parent or more."""
        self.tell(
            Selected(
                item=item,
                ordinal=self._decisions,
                commits=self._decisions,
                version=self._version,
                parents=(parent, *others),
                tasks=tasks,
                operator=operator,
                components=(),
            ),
            after=0,
        )

    def called(
        self,
        slot: str,
        role: Role,
        tokens: tuple[int, int] = (0, 0),
        money: str = "0",
        *,
        failure: str | None = None,
        estimated: bool = False,
        seconds: float = 0.0,
    ) -> None:
        """Add a model call, with its prompt and completion tokens."""
        self._blobs.append("{}")
        self.tell(
            Called(
                slot=slot,
                request=content_hash("{}"),
                role=role,
                model="scripted",
                text=None,
                failure=failure,
                tokens_in=tokens[0],
                tokens_out=tokens[1],
                money=Decimal(money),
                estimated=estimated,
            ),
            seconds=seconds,
            after=0,
        )

    def rollout(
        self,
        candidate: str,
        split: Split,
        task: str,
        result: Result,
        attempt: int = 0,
        tokens: tuple[int, int] = (10, 1),
        feedback: str = "",
    ) -> None:
        """Add a rollout with one call of the task model."""
        failed = isinstance(result, Boundary)
        text, digest = dump_trajectory(Trajectory(f"an answer to {task}"))
        self._blobs.append(text)
        self.called(f"rollout/{candidate}/{task}/{attempt}/task/0", Role.TASK, tokens, seconds=0.5)
        self.tell(
            RolloutEnded(
                candidate=candidate,
                task=task,
                split=split,
                attempt=attempt,
                output=None if failed else digest,
                value=None if isinstance(result, Boundary) else result,
                passed=None if isinstance(result, Boundary) else result >= 0.5,  # noqa: PLR2004
                feedback=feedback,
                boundary=result if isinstance(result, Boundary) else None,
                message="no answer" if failed else "",
                tokens_in=tokens[0],
                tokens_out=tokens[1],
                money=Decimal(0),
                calls=1,
            ),
            seconds=0.5,
        )

    def rollouts(self, candidate: str, split: Split, results: Mapping[str, Result]) -> None:
        """Add a first attempt for each task."""
        for task, result in results.items():
            self.rollout(candidate, split, task, result)

    def decided(
        self,
        item: str,
        candidate: str | None,
        outcome: Outcome,
        code: str = "",
        reason: str = "",
        scores: tuple[float | None, float | None, float | None] = (None, None, None),
    ) -> None:
        """End a proposal; `scores` are those before, after and on validation."""
        accepted = outcome == "accepted"
        self._version += accepted and item != SEED
        self.tell(
            Decided(
                item=item,
                order=self._decisions,
                candidate=candidate,
                verdict=Verdict(outcome=outcome, code=code or outcome, reason=reason or outcome),
                version=self._version,
                before=scores[0],
                after=scores[1],
                val=scores[2],
            ),
            after=0,
        )
        self._decisions += 1

    def archive(self) -> Archive:
        """Return the archive of what was told so far."""
        store = MemoryStore()
        anyio.run(store.append, self._entries, self._blobs)
        return Archive(store, lambda: self.now)

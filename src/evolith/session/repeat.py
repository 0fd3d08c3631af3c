"""Walks a recording and makes every step of it again, with the recorded answers."""

from dataclasses import dataclass, field

from evolith.algorithms.evolution import RAISED
from evolith.archive.archive import Archive
from evolith.core.candidate import SEED
from evolith.core.events import (
    AnyEvent,
    Called,
    CandidateAdded,
    Decided,
    RolloutEnded,
    Selected,
    TestOpened,
)
from evolith.core.overlap import Claimed, HandedOn, Ordered, Speculated, StaleMet, StoppedEarly
from evolith.engine.pipeline import HALTING
from evolith.operators.proposal import Proposal
from evolith.session.setup import Parts
from evolith.session.work import Work

CHECK = 2
"""The stage that follows the making of a child: its place among the stages."""
EVALUATE = 4
"""The stage that follows the repair of a stale child."""


@dataclass(slots=True)
class Repeat:
    """Makes the steps of a recording again, in the order in which they were recorded.

    So every decision is made on the same state as then, also where work overlapped. What a person
    or the clock decided is taken from the recording: which item was begun when, where the work is
    asynchronous; decisions that depend on which rollouts came back first, or on an exception of a
    model function or an operator; when the sealed test was opened. All else is computed: rollouts,
    children, comparisons and decisions.

    Args:
        parts: The parts of the replay; its gateway answers from the recording.
        recording: What is replayed.
    """

    parts: Parts
    recording: Archive
    _items: dict[str, tuple[Proposal, int]] = field(default_factory=dict)
    """Each item with the number of stages that it has passed."""

    async def run(self) -> None:
        """Replay as far as the recording goes."""
        work = Work(self.parts, self.parts.config.budget.budget())
        await work.begin()
        for entry in self.recording.store.entries():
            await self._step(entry.event, work)
        await self._copy_calls()

    async def _step(self, event: AnyEvent, work: Work) -> None:
        archive = self.parts.archive
        match event:
            case Selected():
                await self._select(event)
            case CandidateAdded() if event.id != SEED:
                known = event.item in self._items and self._items[event.item][1] >= CHECK
                await self._advance(event.item, EVALUATE if known else CHECK)
            case RolloutEnded() if event.candidate in archive.state.candidates:
                await self._roll(event)
            case Decided() if event.item == SEED:
                await work.seed()
            case Decided() if self._beyond(event):
                self._items.pop(event.item, None)
                await archive.append(event)
            case Decided():
                evolution = self.parts.evolution
                if not evolution.settled(self._items[event.item][0]):
                    await self._advance(event.item, EVALUATE + 1)
                await evolution.commit(self._items.pop(event.item)[0])
            case TestOpened() | Speculated() | HandedOn() | StaleMet() | StoppedEarly():
                await archive.append(event)
            case Ordered() | Claimed():
                await archive.append(event)
            case _:
                pass

    def _beyond(self, event: Decided) -> bool:
        """Say whether a decision depended on what no recording repeats.

        That is which rollouts came back first, or an exception of a model function or an operator.
        """
        if event.item not in self._items or event.verdict.code == RAISED:
            return True
        return self.parts.evolution.workshop.mutation(self._items[event.item][0]).timed

    async def _select(self, event: Selected) -> None:
        evolution = self.parts.evolution
        if self.parts.config.run.schedule == "sync":
            proposal = await evolution.source()
            if proposal is None:
                return
        else:
            await self.parts.archive.append(event)
            proposal = evolution.begin(event)
        self._items[proposal.item] = (proposal, 0)

    async def _roll(self, event: RolloutEnded) -> None:
        task = next(t for t in self.parts.tasks[event.split] if t.id == event.task)
        candidate = self.parts.archive.candidate(event.candidate)
        try:
            await self.parts.runner.repeat(candidate, task, event.split, event.attempt)
        except HALTING:
            return

    async def _advance(self, item: str, stages: int) -> None:
        """Carry an item through the first so many stages, as far as the recording goes.

        Also where its parent was rejected meanwhile: what was under way then came to its end.
        """
        if item not in self._items:
            return
        evolution = self.parts.evolution
        proposal, passed = self._items[item]
        for stage in evolution.stages()[passed:stages]:
            if proposal.verdict is not None:
                break
            try:
                proposal = await stage.work(proposal)
            except HALTING:
                return
            except Exception as error:  # noqa: BLE001 - an item's failure is data
                proposal = evolution.failed(proposal, error)
            passed += 1
            self._items[item] = (proposal, passed)

    async def _copy_calls(self) -> None:
        """Copy the calls that led to nothing, as those of a rollout that was cut short."""
        for entry in self.recording.store.entries():
            event = entry.event
            if isinstance(event, Called) and self.parts.archive.call(event.key) is None:
                digests = [event.request] if event.text is None else [event.request, event.text]
                blobs = [self.recording.store.blob(digest) for digest in digests]
                await self.parts.archive.append(event, blobs=blobs)

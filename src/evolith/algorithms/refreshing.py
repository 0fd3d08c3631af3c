"""The repair stage: a child whose parent was overtaken is let pass, moved, mended or dropped."""

from dataclasses import dataclass, field, replace

import anyio
import anyio.lowlevel

from evolith.algorithms.workshop import Workshop, failed
from evolith.archive.archive import Archive
from evolith.core.artifact import Artifact
from evolith.core.candidate import Candidate
from evolith.core.change import Change
from evolith.core.events import Verdict
from evolith.core.merge import merge
from evolith.core.messages import Role
from evolith.core.overlap import Met, StaleMet
from evolith.core.task import Split
from evolith.engine.staleness import Rules, meet
from evolith.errors import ModelFailure
from evolith.operators.proposal import Proposal
from evolith.operators.protocols import NothingProposed, rejected
from evolith.operators.repair.reflective import ReflectiveRepair, Repaired, Stale

DISCARDED = "the repair discarded it"


@dataclass(eq=False, slots=True)
class _Waiting:
    """A stale item that waits for a repair call."""

    proposal: Proposal
    staleness: int
    done: anyio.Event = field(default_factory=anyio.Event)
    result: Proposal | None = None
    error: Exception | None = None


@dataclass(slots=True)
class Refreshing:
    """Meets stale items by the rules of the run.

    Args:
        workshop: The parts.
        rules: The policy.
        repair: What mends a conflict.
        batch: Most changes that one repair call takes.
        wait: Seconds that a repair call waits for more of them.
    """

    workshop: Workshop
    rules: Rules
    repair: ReflectiveRepair
    batch: int = 1
    wait: float = 0.0
    _queue: list[_Waiting] = field(default_factory=list)

    async def refresh(self, proposal: Proposal) -> Proposal:
        """Return the item as it goes on, or settled."""
        child = proposal.child
        if (
            child is None
            or self.workshop.mutation(proposal).timed
            or proposal.selected.ancestor
            or len(proposal.parents) != 1
        ):
            return proposal
        workshop = self.workshop
        source = workshop.gateway.source or workshop.archive
        met = source.state.overlap.stale.get(proposal.item)
        if met is not None:
            return await self._again(proposal, child, met, source)
        evaluated = workshop.archive.state.rollouts.get((child.id, Split.VAL))
        if evaluated or source is not workshop.archive:  # it was here before, and was fresh
            return proposal
        champion = self._overtaken_by(proposal)
        return proposal if champion is None else await self._meet(proposal, child, champion)

    async def _meet(self, proposal: Proposal, child: Candidate, champion: Candidate) -> Proposal:
        staleness = self.workshop.archive.state.version - proposal.selected.version
        parent = proposal.parents[0].artifact
        change = Change.between(parent, child.artifact)
        fate = meet(self.rules, staleness, change, Change.between(parent, champion.artifact))
        if fate == "fresh":
            return proposal
        if fate == "conflict":
            return await self._mend(_Waiting(proposal, staleness))
        if fate == "rebased":
            artifact = merge(parent, champion.artifact, child.artifact)
            return await self._moved(proposal, staleness, champion, artifact)
        reason = {
            "passed": "let through as it is",
            "distant": "far in meaning from what was accepted since",
            "dropped": f"{staleness} accepted changes since its parent was chosen",
        }[fate]
        going = None if fate == "dropped" else child.id
        await self.workshop.archive.append(
            StaleMet(
                item=proposal.item,
                staleness=staleness,
                fate=fate,
                reason=reason,
                candidate=going,
            )
        )
        return proposal if going else replace(proposal, verdict=rejected("stale", reason))

    async def _again(
        self, proposal: Proposal, child: Candidate, event: StaleMet, source: Archive
    ) -> Proposal:
        """Repeat what is recorded of the item: now it is met at another moment."""
        workshop, verdict = self.workshop, None
        if event.candidate not in (None, child.id) and event.fate != "fused":
            moved = source.candidate(event.candidate)
            champion = workshop.archive.candidate(moved.parents[0])
            artifact = moved.artifact
            if event.fate == "rebased":
                artifact = merge(proposal.parents[0].artifact, champion.artifact, child.artifact)
            child = self._child(proposal, champion, artifact, moved.operator, moved.rationale)
            await workshop.add(child, event)
            verdict = workshop.refused(child, champion)
        elif event.fate == "dropped":
            verdict = rejected("stale", event.reason)
        elif event.fate == "discarded":
            verdict = rejected("discarded", event.reason or DISCARDED)
        elif event.fate == "fused":
            verdict = _skipped(f"its change went into {event.candidate}")
        elif event.fate == "failed":
            verdict = failed("repair_failed", event.reason)
        await workshop.archive.append(event)
        return replace(proposal, child=child, verdict=verdict)

    def _overtaken_by(self, proposal: Proposal) -> Candidate | None:
        """Return the champion, if it is another one than when the parent was chosen."""
        state = self.workshop.archive.state
        now, then = state.champion, state.overlap.champions[proposal.selected.version]
        return None if now is None or now == then else self.workshop.archive.candidate(now)

    async def _moved(
        self, proposal: Proposal, staleness: int, champion: Candidate, artifact: Artifact
    ) -> Proposal:
        assert proposal.child is not None
        rationale = f"Moved the change of {proposal.child.id} to {champion.id}."
        child = self._child(proposal, champion, artifact, "rebase", rationale)
        event = StaleMet(
            item=proposal.item,
            staleness=staleness,
            fate="rebased",
            reason="its change goes with what was accepted since",
            candidate=child.id,
        )
        await self.workshop.add(child, event)
        return replace(proposal, child=child, verdict=self.workshop.refused(child, champion))

    def _child(
        self,
        proposal: Proposal,
        champion: Candidate,
        artifact: Artifact,
        operator: str,
        rationale: str,
    ) -> Candidate:
        """Return the child as moved to the champion; itself, where that changes nothing of it."""
        old = proposal.child
        assert old is not None
        if artifact.hash == old.artifact.hash:
            return old
        parents = (champion.id, old.id)
        return self.workshop.child(
            proposal, artifact, rationale, operator=operator, parents=parents
        )

    async def _mend(self, waiting: _Waiting) -> Proposal:
        """Wait for a repair call, or make it for all that wait: the first to come leads."""
        self._queue.append(waiting)
        if len(self._queue) == 1:
            await anyio.sleep(self.wait)
            await anyio.lowlevel.checkpoint()
            while self._queue:
                some, self._queue = self._queue[: self.batch], self._queue[self.batch :]
                try:
                    await self._call(some)
                except Exception as error:  # noqa: BLE001 - raised by each that waits
                    for one in some:
                        one.error = error
                for one in some:
                    one.done.set()
        await waiting.done.wait()
        if waiting.error is not None:
            raise waiting.error
        assert waiting.result is not None
        return waiting.result

    async def _call(self, some: list[_Waiting]) -> None:
        """Mend several items in one call, by the component that the first one edits."""
        workshop, leader = self.workshop, some[0].proposal
        champion = workshop.archive.candidate(workshop.archive.state.champion or "")
        path = _path(leader)
        together = [one for one in some if _path(one.proposal) == path]
        self._queue += [one for one in some if one not in together]
        some[:] = together
        since = Change.between(leader.parents[0].artifact, champion.artifact)
        line = workshop.gateway.line(Role.REPAIR, f"{leader.item}/repair")
        changes = [_stale(one.proposal, path) for one in together]
        current = champion.artifact.get(path) or ""
        try:
            answer = await self.repair.repair(path, current, since.diff(), changes, line)
        except (NothingProposed, ModelFailure) as problem:
            await self._failed(together, str(problem), line.last)
            return
        await self._answered(together, champion, path, answer, line.last)

    async def _failed(self, some: list[_Waiting], reason: str, call: str) -> None:
        events = [_met(one, "failed", reason, None, call) for one in some]
        await self.workshop.archive.append(*events)
        for one in some:
            one.result = replace(one.proposal, verdict=failed("repair_failed", reason))

    async def _answered(
        self, some: list[_Waiting], champion: Candidate, path: str, answer: Repaired, call: str
    ) -> None:
        """Settle each item: the first patched one carries the new text, the others went into it."""
        workshop, carrier = self.workshop, None
        recorded = workshop.archive.call(call)
        assert recorded is not None
        tokens = (recorded.tokens_in + recorded.tokens_out) // len(some)
        events: list[StaleMet] = []
        for place, one in enumerate(some):
            proposal, reason = one.proposal, answer.reasons[place]
            fate: Met = "discarded"
            verdict: Verdict | None = rejected("discarded", reason or DISCARDED)
            child = proposal.child
            assert child is not None
            if answer.patched[place] and answer.text is not None:
                if carrier is None:
                    artifact = champion.artifact.replace(path, answer.text)
                    rationale = f"Worked {sum(answer.patched)} stale changes into {champion.id}."
                    child = carrier = self._child(proposal, champion, artifact, "repair", rationale)
                    fate, verdict = "patched", workshop.refused(child, champion)
                else:
                    fate = "fused"
                    verdict = _skipped(f"its change went into {carrier.id}")
            going = None if carrier is None or fate == "discarded" else carrier.id
            events.append(_met(one, fate, reason, going, call, place, tokens))
            one.result = replace(proposal, child=child, verdict=verdict)
        if carrier is None:
            await workshop.archive.append(*events)
        else:
            await workshop.add(carrier, *events)


def _met(
    one: _Waiting,
    fate: Met,
    reason: str,
    candidate: str | None,
    call: str,
    place: int = 0,
    tokens: int = 0,
) -> StaleMet:
    return StaleMet(
        item=one.proposal.item,
        staleness=one.staleness,
        fate=fate,
        reason=reason,
        candidate=candidate,
        call=call,
        place=place,
        tokens=tokens,
    )


def _path(proposal: Proposal) -> str:
    """Return the component that an item edits first."""
    assert proposal.child is not None
    return Change.between(proposal.parents[0].artifact, proposal.child.artifact).paths[0]


def _stale(proposal: Proposal, path: str) -> Stale:
    assert proposal.child is not None
    before = proposal.parents[0].artifact.get(path) or ""
    return Stale(before, proposal.child.artifact.get(path) or "", proposal.evidence)


def _skipped(reason: str) -> Verdict:
    return Verdict(outcome="skipped", code="fused", reason=reason)

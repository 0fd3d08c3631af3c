from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import count
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolith.archive.archive import Archive, dump_artifact, dump_trajectory, load_trajectory
from evolith.archive.sql import SqlStore
from evolith.archive.store import Store
from evolith.core.artifact import Artifact
from evolith.core.candidate import SEED, Candidate
from evolith.core.events import (
    AnyEvent,
    CandidateAdded,
    Decided,
    RolloutEnded,
    Selected,
    SessionEnded,
    SessionStarted,
    Verdict,
)
from evolith.core.messages import Message
from evolith.core.rollout import Trajectory
from evolith.core.task import Split
from evolith.errors import ArchiveError
from evolith.testing.memory import MemoryStore
from evolith.testing.store_suite import call, one_of_each


def clock(start: float = 100.0) -> Iterator[float]:
    return count(start, 0.5)


def archive(store: Store, start: float = 100.0) -> Archive:
    return Archive(store, clock(start).__next__)


EVENTS: Sequence[AnyEvent] = (
    *(entry.event for entry in one_of_each()),
    *(call(number).event for number in range(1, 6)),
    SessionStarted(number=2, version="0", settings="{}", fingerprint=""),
    SessionEnded(number=2, reason="finished", message="", seconds=2.5),
)


@settings(max_examples=60)
@given(steps=st.lists(st.lists(st.sampled_from(EVENTS), max_size=4, unique_by=lambda e: e.key)))
def test_reading_the_archive_again_gives_the_state_that_the_run_had(
    steps: list[list[AnyEvent]],
) -> None:
    store = MemoryStore()
    live = archive(store)

    async def work() -> None:
        for events in steps:
            await live.append(*events, seconds=0.25)

    anyio.run(work)
    again = archive(store, 9_999.0)
    assert again.state == live.state


@settings(max_examples=30)
@given(events=st.lists(st.sampled_from(EVENTS), max_size=20))
def test_an_event_that_happens_again_changes_nothing(events: list[AnyEvent]) -> None:
    once, often = archive(MemoryStore()), archive(MemoryStore())

    async def work() -> None:
        for event in {event.key: event for event in events}.values():
            await once.append(event)
        for event in events:
            await often.append(event)

    anyio.run(work)
    assert often.state.total == once.state.total
    assert often.state.rollouts_done == once.state.rollouts_done
    assert often.state.pool == once.state.pool
    assert often.store.hash() == once.store.hash()


def test_a_durable_archive_gives_the_same_state_when_it_is_opened_again(tmp_path: Path) -> None:
    store = SqlStore.create(tmp_path)
    live = archive(store)
    anyio.run(live.append, *EVENTS)
    store.close()
    reading = SqlStore.read(tmp_path)
    assert archive(reading).state == live.state
    reading.close()


def test_what_could_not_be_recorded_is_not_in_the_state() -> None:
    live = archive(MemoryStore())
    anyio.run(live.append, call(1, "first").event)
    before = live.state.total
    with pytest.raises(ArchiveError):
        anyio.run(live.append, call(2).event, call(2, "other").event)
    assert live.state.total == before
    assert live.call(call(2).event.key) is None


def test_events_are_recorded_with_the_time_and_their_duration() -> None:
    live = archive(MemoryStore(), 50.0)

    async def work() -> None:
        await live.append(call(1).event, seconds=0.75)
        await live.append(call(2).event)

    anyio.run(work)
    assert [(entry.at, entry.seconds) for entry in live.store.entries()] == [
        (50.0, 0.75),
        (50.5, 0.0),
    ]


def test_whoever_watches_is_told_of_each_event_once_it_is_recorded() -> None:
    live, told = archive(MemoryStore()), list[str]()
    live.watch = lambda seen, entry: told.append(f"{entry.event.key} {seen.state.total.calls}")

    async def work() -> None:
        await live.append(call(1).event, call(2).event)
        await live.append(call(1).event)

    anyio.run(work)
    assert told == [f"{call(1).event.key} 1", f"{call(2).event.key} 2"]


def add(name: str, artifact: Artifact, *parents: str) -> tuple[list[AnyEvent], str]:
    text, digest = dump_artifact(artifact)
    verdict = Verdict(outcome="accepted", code="better", reason="It is better")
    return [
        Selected(
            item=f"i-{name}",
            ordinal=0,
            commits=0,
            version=0,
            parents=parents,
            tasks=(),
            operator="reflect",
            components=("prompt.md",),
        ),
        CandidateAdded(
            id=name,
            artifact=digest,
            parents=parents,
            item=f"i-{name}",
            operator="reflect",
            rationale="why",
            cursor=2,
        ),
        Decided(item=f"i-{name}", order=0, candidate=name, verdict=verdict, version=0),
    ], text


def test_candidates_come_back_with_their_artifact_and_parents() -> None:
    live = archive(MemoryStore())
    parent, child = Artifact.of({"prompt.md": "a"}), Artifact.of({"prompt.md": "b", "x/y.md": ""})

    async def work() -> None:
        for name, artifact, parents in ((SEED, parent, ()), ("c1", child, (SEED,))):
            events, text = add(name, artifact, *parents)
            await live.append(*events, blobs=[text])

    anyio.run(work)
    expected = Candidate("c1", child, (SEED,), "i-c1", "reflect", "why", 2)
    assert live.candidate("c1") == expected
    assert archive(live.store).candidate("c1") == expected
    view = live.view()
    assert view == archive(live.store).view()
    assert [member.candidate.id for member in view.members] == [SEED, "c1"]
    assert [member.tries for member in view.members] == [1, 0]
    with pytest.raises(KeyError):
        live.candidate("nobody")


def score(name: str, attempt: int, value: float) -> RolloutEnded:
    return RolloutEnded(
        candidate=name,
        task="t1",
        split=Split.VAL,
        attempt=attempt,
        output=None,
        value=value,
        passed=value == 1.0,
        feedback="",
        boundary=None,
        message="",
        tokens_in=1,
        tokens_out=1,
        money=Decimal(0),
        calls=1,
    )


def test_the_view_follows_each_event() -> None:
    live = archive(MemoryStore())
    names = {SEED: (), "c1": (SEED,), "c2": ("c1",), "c3": (SEED,)}
    seen: list[tuple[str, dict[str, float], int]] = []

    async def work() -> None:
        for number, (name, parents) in enumerate(names.items()):
            events, text = add(name, Artifact.of({"prompt.md": name}), *parents)
            await live.append(*events[:-1], blobs=[text])
            for attempt in range(2):
                await live.append(score(name, attempt, (number + attempt) % 3 / 2))
                assert live.view() == archive(live.store).view()
            await live.append(events[-1])
            assert live.view() == archive(live.store).view()
            await live.append(score(SEED, 9 + number, 0.25))  # an accepted one is run once more
            assert live.view() == archive(live.store).view()
        champion = live.view().champion
        seen.append((champion.candidate.id, dict(champion.val), live.view()[SEED].tries))

    anyio.run(work)
    assert seen == [("c1", {"t1": 0.75}, 2)]


def test_a_view_is_made_once_while_nothing_changes_that_it_shows() -> None:
    live = archive(MemoryStore())

    async def work() -> None:
        events, text = add(SEED, Artifact.of({"prompt.md": "a"}))
        await live.append(*events, blobs=[text])
        view = live.view()
        await live.append(call(1).event, score("child", 0, 1.0))
        assert live.view() is view
        await live.append(score(SEED, 0, 1.0))
        assert live.view().champion.mean == 1.0

    anyio.run(work)


@given(
    output=st.text(), turns=st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text()))
)
def test_a_trajectory_comes_back_as_it_was(output: str, turns: list[tuple[str, str]]) -> None:
    messages = tuple(
        Message("user" if role == "user" else "assistant", said) for role, said in turns
    )
    trajectory = Trajectory(output, messages)
    text, _ = dump_trajectory(trajectory)
    assert load_trajectory(text) == trajectory

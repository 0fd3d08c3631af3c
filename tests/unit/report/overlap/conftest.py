"""Runs whose work overlaps, told event by event."""

from typing import Literal

import pytest

from evolith.core.messages import Role
from evolith.core.overlap import (
    Claimed,
    HandedOn,
    Pulsed,
    Speculated,
    StagePulse,
    StaleMet,
    StoppedEarly,
)
from evolith.core.task import Split
from evolith.testing.story import Story


def stage(name: str, done: int, *, waiting: int = 0, seconds: float = 10.0) -> StagePulse:
    """A stage that was idle for a tenth of the time, in which an item waited half a second."""
    return StagePulse(
        name=name,
        workers=4,
        busy=2,
        waiting=waiting,
        arrived=done + 2 + waiting,
        done=done,
        waited=(done + 2) / 2,
        worked=seconds,
        idle=seconds / 10,
        longest=3,
        wait_p50=0.004,
        wait_p99=0.021,
    )


def pulse(session: int, beat: int, seconds: float, done: int, waiting: int = 0) -> Pulsed:
    """All stages at one moment."""
    names = ("rollout", "propose", "check", "repair", "evaluate", "commit")
    stages = tuple(stage(name, done, waiting=waiting, seconds=seconds) for name in names)
    return Pulsed(number=session, beat=beat, seconds=seconds, stages=stages)


def busy_run() -> Story:
    """Tell an asynchronous run in which everything that can overlap did so.

    Five proposals are made from the seed at once. p0001 is accepted first; p0002 is rebased on it
    and accepted, p0003 is dropped, p0004 was tentative and is rejected, and p0005, made from that,
    falls with it. p0006 is given up early, and p0007 is under way.
    """
    counts = {Split.TRAIN: 2, Split.VAL: 4}
    story = Story("busy", counts, {"run": {"schedule": "async", "in_flight": 5}})
    story.session()
    story.candidate("seed", {"prompt.md": "Answer.\n"})
    story.rollouts("seed", Split.VAL, {"v1": 1.0, "v2": 0.0, "v3": 0.0, "v4": 0.0})
    story.decided("seed", "seed", "accepted")
    for number in range(1, 5):
        item, child = f"p000{number}", f"c{number}"
        story.selected(item, "seed", ("t1",), "reflect")
        story.called(f"{item}/reflect/reflect/0", Role.REFLECT, (90, 10), "0.01")
        story.candidate(child, {"prompt.md": f"Think {number}.\n"}, ("seed",), item, "reflect")
        story.rollout(child, Split.TRAIN, "t1", 1.0, tokens=(9, 1))
    story.tell(HandedOn(item="p0001", tasks=("t1",)))
    story.rollouts("c1", Split.VAL, dict.fromkeys(("v1", "v2", "v3", "v4"), 0.5))
    story.tell(_tentative("c1"), after=0)
    story.decided("p0001", "c1", "accepted", "joined", "kept", (0.0, 1.0, 0.5))
    story.tell(pulse(1, 1, 10.0, done=3, waiting=2))
    story.candidate("c2b", {"prompt.md": "Both.\n"}, ("c1", "c2"), "p0002", "rebase")
    story.called("p0002/repair/repair/0", Role.REPAIR, (30, 10), "0.004")
    story.tell(_stale("p0002", "patched", "c2b", tokens=40))
    story.rollouts("c2b", Split.VAL, dict.fromkeys(("v1", "v2", "v3", "v4"), 1.0))
    story.decided("p0002", "c2b", "accepted", "joined", "kept", (0.0, 1.0, 1.0))
    story.tell(_stale("p0003", "dropped", None))
    story.decided("p0003", "c3", "rejected", "stale", "too old", (0.0, 1.0, None))
    story.tell(_tentative("c4"), after=0)
    story.selected("p0005", "c4", ("t1",), "reflect")
    story.candidate("c5", {"prompt.md": "Think 5.\n"}, ("c4",), "p0005", "reflect")
    story.rollout("c5", Split.TRAIN, "t1", 1.0, tokens=(18, 2))
    story.decided("p0004", "c4", "rejected", "not_above_champion", "no better", (0.0, 1.0, 0.2))
    story.decided("p0005", "c5", "rejected", "retracted", "its tentative parent c4 fell")
    story.tell(pulse(1, 2, 20.0, done=5))
    story.ended("drained")
    story.session(2)
    story.selected("p0006", "c2b", ("t2",), "reflect")
    story.candidate("c6", {"prompt.md": "Think 6.\n"}, ("c2b",), "p0006", "reflect")
    story.rollout("c6", Split.VAL, "v1", 0.0, tokens=(27, 3))
    early = {"probability": 0.01, "low": -0.9, "high": 0.1}
    story.tell(StoppedEarly(item="p0006", candidate="c6", back=1, total=4, **early))
    story.decided("p0006", "c6", "rejected", "given_up", "given up after 1 of 4 tasks")
    story.selected("p0007", "c2b", ("t2",), "reflect")
    story.called("p0007/reflect/reflect/0", Role.REFLECT, (45, 5), "0.005")
    story.tell(pulse(2, 1, 5.0, done=4, waiting=1))
    return story


def _tentative(candidate: str) -> Speculated:
    return Speculated(candidate=candidate, back=2, total=4, mean=0.5, threshold=0.2, alpha=0.5)


def _stale(
    item: str, fate: Literal["patched", "dropped"], candidate: str | None, tokens: int = 0
) -> StaleMet:
    return StaleMet(
        item=item, staleness=1, fate=fate, reason="", candidate=candidate, tokens=tokens
    )


@pytest.fixture
def busy() -> Story:
    """An asynchronous run that is at work, in which everything that can overlap did so."""
    return busy_run()


def flash_run() -> Story:
    """Tell a run with a line that is ahead of the champion.

    Two changes are fused into the line, which is proved. A third is fused into a newer line, which
    loses its comparison. A fourth is held and not used.
    """
    story = Story("flash", {Split.TRAIN: 4, Split.VAL: 2}, {"algorithm": {"kind": "flash"}})
    story.session()
    story.candidate("seed", {"prompt.md": "Answer.\n"})
    story.decided("seed", "seed", "accepted")
    story.selected("p0001", "seed", ("t1",), "look")
    story.rollout("seed", Split.TRAIN, "t1", 0.0)
    story.decided("p0001", None, "skipped", "looked", "t1 not passed")
    for number in (2, 3):
        _won(story, number, "seed")
    story.selected("p0004", "seed", (), "fuse", "c2", "c3")
    story.candidate("l1", {"prompt.md": "c2 c3\n"}, ("seed", "c2", "c3"), "p0004", "fuse", "Fused.")
    story.decided("p0004", "l1", "held", "moved", "the line moves")
    story.selected("p0005", "l1", (), "judge")
    _won(story, 6, "l1")
    for name, value in (("l1", 1.0), ("seed", 0.0)):
        story.rollouts(name, Split.VAL, {"v1": value, "v2": value})
    story.decided("p0005", "l1", "accepted", "proved", "+1.000 against the champion")
    story.selected("p0007", "l1", (), "fuse", "c6")
    story.candidate("l2", {"prompt.md": "c2 c3 c6\n"}, ("l1", "c6"), "p0007", "fuse")
    story.decided("p0007", "l2", "held", "moved", "the line moves")
    story.selected("p0008", "l2", (), "judge")
    story.rollouts("l2", Split.VAL, {"v1": 0.0, "v2": 0.0})
    story.decided("p0008", "l2", "rejected", "not_better", "-1.000 against the champion")
    _won(story, 9, "l2")
    claim = {"mean": 0.9, "low": 0.7, "high": 1.0}
    story.tell(Claimed(number=1, candidate="l1", rollouts=6, fresh=True, **claim))
    story.ended()
    return story


def _won(story: Story, number: int, parent: str) -> None:
    item, child = f"p000{number}", f"c{number}"
    story.selected(item, parent, (f"t{number % 4}",), "reflect")
    story.called(f"{item}/reflect/reflect/0", Role.REFLECT, (90, 10))
    story.candidate(child, {"prompt.md": f"c{number}\n"}, (parent,), item, "reflect")
    story.rollout(child, Split.TRAIN, f"t{number % 4}", 1.0)
    story.decided(item, child, "held", "won", f"wins t{number % 4}")


@pytest.fixture
def flash() -> Story:
    """A finished run with a line that was ahead of its champion."""
    return flash_run()

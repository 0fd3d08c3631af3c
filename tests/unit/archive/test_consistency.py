from collections.abc import Sequence
from decimal import Decimal

from evolith.archive.consistency import Consistency, blobs_of
from evolith.core.events import (
    AnyEvent,
    CandidateAdded,
    Decided,
    RolloutEnded,
    Selected,
    TestOpened,
    Verdict,
)
from evolith.core.task import Split
from evolith.testing.store_suite import one_of_each


def candidate(name: str, *parents: str) -> CandidateAdded:
    return CandidateAdded(
        id=name,
        artifact="blob",
        parents=parents,
        item=f"i-{name}",
        operator="reflect",
        rationale="",
        cursor=0,
    )


def selected(item: str, *parents: str) -> Selected:
    return Selected(
        item=item,
        ordinal=0,
        commits=0,
        version=0,
        parents=parents,
        tasks=(),
        operator="reflect",
        components=(),
    )


def decided(
    item: str, order: int, version: int, name: str | None, outcome: str = "accepted"
) -> Decided:
    verdict = Verdict.model_validate({"outcome": outcome, "code": "c", "reason": "r"})
    return Decided(item=item, order=order, candidate=name, verdict=verdict, version=version)


def rollout(name: str) -> RolloutEnded:
    return RolloutEnded(
        candidate=name,
        task="t",
        split=Split.VAL,
        attempt=0,
        output=None,
        value=0.5,
        passed=False,
        feedback="",
        boundary=None,
        message="",
        tokens_in=0,
        tokens_out=0,
        money=Decimal(0),
        calls=0,
    )


WHOLE: tuple[AnyEvent, ...] = (
    candidate("seed"),
    rollout("seed"),
    decided("seed", 0, 0, "seed"),
    selected("i1", "seed"),
    selected("i2", "seed"),
    decided("i1", 1, 0, None, "failed"),
    candidate("c2", "seed"),
    decided("i2", 2, 1, "c2"),
    selected("i3", "c2", "seed"),
    candidate("c3", "c2", "seed"),
    decided("i3", 3, 1, "c3", "rejected"),
    TestOpened(candidate="c2", use=1),
)


def told(events: Sequence[AnyEvent]) -> list[str]:
    consistency = Consistency()
    for event in events:
        consistency.add(event)
    return [f"{problem.where}: {problem.what}" for problem in consistency.problems()]


def changed(place: int, event: AnyEvent) -> list[AnyEvent]:
    return [*WHOLE[:place], event, *WHOLE[place + 1 :]]


def test_a_whole_run_has_no_problem() -> None:
    assert told(WHOLE) == []
    assert told(WHOLE[:1]) == []
    assert told(()) == []


def test_an_unknown_parent_is_named() -> None:
    expected = ["event candidate/c2: it names candidate nobody, which is not recorded"]
    assert told(changed(6, candidate("c2", "nobody"))) == expected


def test_an_item_made_from_an_unknown_candidate_is_named() -> None:
    expected = ["event selected/i2: it names candidate nobody, which is not recorded"]
    assert told(changed(4, selected("i2", "nobody"))) == expected


def test_a_rollout_and_a_test_of_an_unknown_candidate_are_named() -> None:
    assert told([*WHOLE, rollout("x"), TestOpened(candidate="y", use=2)]) == [
        "event rollout/x/t/0: it names candidate x, which is not recorded",
        "event test/y: it names candidate y, which is not recorded",
    ]


def test_a_decision_about_an_unknown_candidate_is_named() -> None:
    expected = ["event decided/i2: it names candidate nobody, which is not recorded"]
    assert told(changed(7, decided("i2", 2, 1, "nobody"))) == expected


def test_a_decision_about_an_item_that_was_never_begun_is_named() -> None:
    expected = ["event decided/i9: it decides an item that was never selected"]
    assert told([*WHOLE, decided("i9", 4, 1, None, "failed")]) == expected


def test_a_second_decision_about_an_item_is_named() -> None:
    expected = ["event decided/i1: its item was decided before"]
    assert told([*WHOLE, decided("i1", 4, 1, None, "failed")]) == expected


def test_a_gap_in_the_order_of_decisions_is_named() -> None:
    expected = ["event decided/i3: its order is 3, and that before it 1"]
    without = [event for event in WHOLE if event.key not in {"decided/i2", "decided/i3"}]
    assert told([*without, decided("i3", 3, 0, None, "failed")]) == expected


def test_an_order_that_does_not_begin_at_0_is_named() -> None:
    expected = ["event decided/seed: it is the first decision, but not order 0 of version 0"]
    assert told([candidate("seed"), decided("seed", 1, 0, "seed")]) == expected


def test_a_version_that_rises_without_reason_or_not_by_one_is_named() -> None:
    assert told(changed(10, decided("i3", 3, 2, "c3", "rejected"))) == [
        "event decided/i3: it is rejected and takes the version from 1 to 2"
    ]
    assert told([*WHOLE[:7], decided("i2", 2, 2, "c2")]) == [
        "event decided/i2: it is accepted and takes the version from 0 to 2"
    ]


def test_the_blobs_of_an_event_are_those_that_it_names_by_hash() -> None:
    found = {entry.event.kind: len(blobs_of(entry.event)) for entry in one_of_each()}
    named = {kind: count for kind, count in found.items() if count}
    assert named == {"candidate": 1, "call": 2, "rollout": 1}
    assert blobs_of(rollout("seed")) == ()

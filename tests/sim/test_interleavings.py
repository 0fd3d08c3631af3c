"""Whole asynchronous runs on the virtual clock: whatever order things come back in."""

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from functools import cache

import pytest

from evolith.archive.archive import Archive
from evolith.archive.state import Entry, State
from evolith.core.events import Decided, Selected
from evolith.core.ids import rng_for
from evolith.core.task import Split
from tests.sim.toy import SORTS, Toy

ASYNC = {
    "run.schedule": "async",
    "run.in_flight": 6,
    "run.workers": 16,
    "algorithm.proposals": 30,
}
GEPA = {**ASYNC, "algorithm.kind": "gepa"}
DEMOS = {
    **ASYNC,
    "algorithm.kind": "demos",
    "algorithm.minibatch": 9,
    "algorithm.operators": {"reflect": 1},
}
"""Only who beats the champion is accepted, so that others are retracted."""
HALF = {"run.speculation": {"rollout": 0.5, "evaluate": 0.5}}
ADAPTIVE = {"run.speculation": {"rollout": "adaptive", "evaluate": "adaptive"}}
REFLECTIVE = {"run.staleness": {"policy": "reflective", "batch": 4, "wait": 1.0}}
GIVE_UP = 0.05
RUNS: Mapping[str, Mapping[str, object]] = {
    "full": GEPA,
    "guarded": {**GEPA, **HALF, "run.staleness": {"policy": "guarded", "limit": 2}},
    "reflective": {**GEPA, **REFLECTIVE, **HALF, "run.reorder": True},
    "adaptive": {
        **GEPA,
        **ADAPTIVE,
        "run.staleness": {"policy": "reflective", "similarity": 0.6},
        "run.control": {"policy": "median", "tau": 2},
        "run.stages": {"rollout": {"least": 2, "most": 5}, "evaluate": {"most": 3}},
    },
    "strict": {**DEMOS, **REFLECTIVE, **HALF, "run.give_up": GIVE_UP, "run.reorder": True},
    "certain": {
        **DEMOS,
        **ADAPTIVE,
        "run.give_up": 0,
        "run.control": {"policy": "pi", "tau": 2},
    },
    "flash": {
        **ASYNC,
        "algorithm.kind": "flash",
        "algorithm.guard": 2,
        "algorithm.proposals": 90,
        "run.reorder": True,
    },
}
SEEDS = range(3)
EACH = pytest.mark.parametrize("name", RUNS)
TENTATIVE = ("strict", "certain")


@cache
def finished(name: str, seed: int) -> Toy:
    """Return a run that was worked on in one session, half of them with answers that differ."""
    toy = Toy(RUNS[name], seed, noise=0.1 * (seed % 2), flaky=0.1 * (seed // 2 % 2))
    outcome = toy.run()
    assert outcome is not None
    assert outcome.reason == "finished"
    return toy


@cache
def killed(name: str, seed: int) -> Toy:
    """Return a run that was stopped dead at random moments and resumed each time."""
    toy = Toy(RUNS[name], 50 + seed, noise=0.1 * (seed % 2), flaky=0.1 * (seed // 2 % 2))
    moments = rng_for("killed", name, seed)
    for _ in range(5):
        if toy.run(kill_at=moments.uniform(1, 12)) is not None:
            return toy
    outcome = toy.run()
    assert outcome is not None
    assert outcome.reason == "finished"
    return toy


def runs(name: str) -> list[Toy]:
    return [make(name, seed) for make in (finished, killed) for seed in SEEDS]


@EACH
def test_every_item_that_was_begun_is_decided_once_and_the_archive_is_whole(name: str) -> None:
    for toy in runs(name):
        events = [entry.event for entry in toy.store.entries()]
        begun = [event.item for event in events if isinstance(event, Selected)]
        decided = [event.item for event in events if isinstance(event, Decided)]
        assert sorted(decided) == sorted({"seed", *begun})
        assert toy.problems() == []  # versions only grow, orders are counted without a gap


@EACH
def test_a_replay_makes_no_call_and_gives_the_same_archive(name: str) -> None:
    for toy in runs(name):
        assert toy.replayed() == (0, toy.store.hash())


@EACH
def test_a_run_that_is_killed_again_and_again_pays_for_nothing_twice(name: str) -> None:
    for seed in SEEDS:
        toy = killed(name, seed)
        assert len(toy.state.sessions) > 1
        calls = toy.calls()
        assert {number for _, number in Counter(call.slot for call in calls).items()} == {1}
        if not toy.flaky:  # then each call has one try, and all that was answered is recorded
            broken = sum("is broken" in d.verdict.reason for d in toy.state.decided.values())
            assert len(calls) <= toy.answered <= len(calls) + broken + len(toy.state.sessions)


@pytest.mark.parametrize("name", TENTATIVE)
def test_what_comes_of_a_retracted_candidate_falls_with_it_down_to_the_last_descendant(
    name: str,
) -> None:
    depths: Counter[int] = Counter()
    settings = {**RUNS[name], "run.in_flight": 12}
    slow = [Toy(settings, seed, straggling=20.0) for seed in range(3)]
    for toy in slow:
        toy.run()
    for toy in [*runs(name), *slow]:
        state = toy.state
        accepted = {"seed", *state.pool}
        for item, selected in state.selected.items():
            lost = [parent for parent in selected.parents if parent not in accepted]
            decided = state.decided[item]
            assert (decided.verdict.code == "retracted") == bool(lost)
            assert not lost or (decided.before, decided.after, decided.val) == (None, None, None)
            depths[depth(state, item)] += bool(lost)
        assert not state.overlap.tentative
    assert depths[1] >= 5
    assert sum(count for chain, count in depths.items() if chain > 1) >= 5
    assert [toy.replayed() for toy in slow] == [(0, toy.store.hash()) for toy in slow]


def depth(state: State, item: str) -> int:
    """Return how many generations lie between an item and what was accepted."""
    made_by = {added.id: added.item for added in state.candidates.values()}
    generations = [
        1 + depth(state, made_by[parent])
        for parent in state.selected[item].parents
        if parent not in state.pool
    ]
    return max(generations, default=0)


def test_an_item_whose_model_or_operator_raises_is_a_recorded_failure_and_the_run_goes_on() -> None:
    codes = Counter(d.verdict.code for toy in runs("full") for d in toy.state.decided.values())
    assert codes["operator_raised"] >= 3
    assert codes["no_fence"] >= 3
    assert codes["joined"] >= 50


def test_every_way_of_meeting_a_stale_child_happens_and_is_recorded_with_its_tokens() -> None:
    met = [
        event
        for name in ("full", "guarded", "reflective", "adaptive", "strict")
        for toy in runs(name)
        for event in toy.state.overlap.stale.values()
    ]
    fates = Counter(event.fate for event in met)
    assert fates.keys() == {
        *("passed", "dropped", "rebased", "distant"),
        *("patched", "discarded", "fused", "failed"),
    }
    for event in met:
        assert event.staleness >= 1
        paid = event.fate in ("patched", "discarded", "fused")
        assert (event.tokens > 0, event.call is not None) == (paid, paid or event.fate == "failed")
        assert event.reason or paid


def test_one_repair_call_takes_several_stale_children() -> None:
    calls: Counter[tuple[str, str]] = Counter()
    for toy in runs("reflective"):
        for event in toy.state.overlap.stale.values():
            calls[str(toy), str(event.call)] += event.call is not None
    assert max(calls.values()) >= 2
    assert max(calls.values()) <= 4


def test_a_moved_child_has_both_its_own_change_and_what_was_accepted_since() -> None:
    moved = 0
    for toy in runs("reflective"):
        archive = Archive(toy.store, lambda: 0.0)
        for event in toy.state.overlap.stale.values():
            if event.fate == "rebased":
                child = archive.candidate(event.candidate or "")
                champion, old = (rules(archive, parent) for parent in child.parents)
                (parent,) = toy.state.selected[event.item].parents
                assert rules(archive, child.id) == champion | (old - rules(archive, parent))
                moved += 1
    assert moved >= 3


def rules(archive: Archive, candidate: str) -> set[str]:
    text = archive.candidate(candidate).artifact.as_dict()["prompt.md"]
    return {line for line in text.splitlines() if ": " in line or "Note" in line}


@cache
def hasty(give_up: float | None, seed: int) -> Toy:
    """Return a run of one item after another that gives up evaluations, or finishes all."""
    settings = {**DEMOS, "run.in_flight": 1, "run.workers": 2, "run.give_up": give_up}
    toy = Toy(settings, seed, noise=0.2)
    toy.run()
    return toy


def test_an_evaluation_that_is_given_up_is_rejected_and_its_interval_is_kept() -> None:
    given_up = 0
    for toy in [*runs("strict"), *(hasty(GIVE_UP, seed) for seed in range(4))]:
        for item, stopped in toy.state.overlap.stopped.items():
            decided = toy.state.decided[item]
            assert decided.verdict.code == "given_up"
            assert stopped.back < stopped.total
            assert stopped.low <= stopped.high
            assert stopped.probability <= GIVE_UP
            rows = toy.state.rollouts[stopped.candidate, Split.VAL]
            assert len({task for task, _ in rows}) == stopped.back
            given_up += 1
    assert given_up >= 5


def test_what_is_given_up_with_certainty_would_have_been_rejected_when_finished() -> None:
    stopped = 0
    for seed in range(4):
        toy, whole = hasty(0, seed), hasty(None, seed)
        for item, decided in toy.state.decided.items():
            assert decided.verdict.outcome == whole.state.decided[item].verdict.outcome
            stopped += decided.verdict.code == "given_up"
        assert toy.state.rollouts_done < whole.state.rollouts_done
    assert stopped >= 5


def test_an_order_is_recorded_and_puts_last_what_was_passed_three_times_running() -> None:
    orders = [order for toy in runs("reflective") for order in toy.state.overlap.orders]
    assert orders
    for toy in runs("reflective"):
        for order in toy.state.overlap.orders:
            assert len(order.last) <= (2 * len(SORTS) + 3) // 2
            for task in order.last:
                passed = [
                    bool(row.passed)
                    for candidate in toy.state.candidates
                    for (name, _), row in toy.state.rollouts[candidate, Split.VAL].items()
                    if name == task
                ]
                assert sum(passed) >= 3


@pytest.mark.parametrize("name", ["reflective", "strict"])
def test_a_run_that_is_resumed_goes_on_with_the_order_that_it_had(name: str) -> None:
    with_orders = [toy for toy in runs(name) if toy.state.overlap.orders]
    assert len(with_orders) >= 2
    for toy in with_orders:
        assert toy.last() == toy.state.overlap.orders[-1].last


@pytest.mark.parametrize("limit", ["tokens", "money", "rollouts"])
@pytest.mark.parametrize("name", ["adaptive", "strict", "flash"])
def test_no_budget_is_ever_passed_whatever_is_under_way(name: str, limit: str) -> None:
    shares = {"tokens": 6000, "money": Decimal("0.012"), "rollouts": 90}
    most = shares[limit]

    def look(archive: Archive, entry: Entry) -> None:
        del entry
        assert getattr(archive.state.total, limit) <= most

    settings = {**RUNS[name], "algorithm.reflect.max_tokens": 200}
    toy = Toy({**settings, "budget": {limit: most}}, 1)
    outcome = toy.run(watch=look)
    assert outcome is not None
    assert outcome.reason == f"budget:{limit}"
    assert toy.problems() == []
    assert toy.replayed() == (0, toy.store.hash())
    more = Toy({**settings, "budget": {"rollouts": 10**6}}, 1, store=toy.store)
    resumed = more.run()
    assert resumed is not None
    assert resumed.reason == "finished"
    assert set(more.state.selected) == set(more.state.decided) - {"seed"}
    assert more.replayed() == (0, more.store.hash())


SYNC: Mapping[str, Mapping[str, object]] = {
    "gepa": {"algorithm.kind": "gepa"},
    "demos": {"algorithm.kind": "demos", "algorithm.operators": {"demos": 1, "reflect": 2}},
    "best_of_n": {"algorithm.kind": "best_of_n"},
}


@pytest.mark.parametrize("kind", SYNC)
def test_one_in_flight_does_what_a_synchronous_run_does_with_any_number_of_workers(
    kind: str,
) -> None:
    hashes = set()
    for schedule in ("sync", "async"):
        for workers in (1, 64):
            settings = {
                **SYNC[kind],
                "algorithm.minibatch": 3,
                "algorithm.proposals": 12,
                "artifact.surface": ["prompt.md", "demos.jsonl"],
                "run.schedule": schedule,
                "run.in_flight": 1,
                "run.workers": workers,
            }
            toy = Toy(settings, 1)
            toy.run()
            assert len(toy.state.decided) > 8
            hashes.add(toy.hash_of_the_work())
    assert len(hashes) == 1

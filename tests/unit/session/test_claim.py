"""The score that a run claims for its champion."""

from collections import Counter

import pytest

from evolith.core.events import Decided
from evolith.core.overlap import Claimed
from evolith.core.task import Split
from tests.sim.toy import SORTS, Toy

FLASH = {
    "run.schedule": "async",
    "run.in_flight": 6,
    "run.workers": 16,
    "algorithm.kind": "flash",
    "algorithm.guard": 2,
    "algorithm.proposals": 60,
    "algorithm.claim_repeats": 3,
}
TASKS = 2 * len(SORTS) + 3
NOISE = 0.15


def claims(toy: Toy) -> list[Claimed]:
    return toy.state.overlap.claims


def test_a_champion_that_the_search_has_run_whole_needs_no_claim() -> None:
    toy = Toy({"run.schedule": "async", "algorithm.kind": "gepa", "algorithm.proposals": 3})
    toy.run()
    assert claims(toy) == []


def test_where_answers_repeat_the_claim_is_the_mean_of_one_pass_without_doubt() -> None:
    toy = Toy(FLASH)
    toy.run()
    (claim,) = claims(toy)
    assert claim.candidate == toy.state.champion != "seed"
    assert claim.low == claim.mean == claim.high == toy.state.mean(claim.candidate, Split.VAL)
    assert (claim.rollouts, claim.fresh) == (TASKS, False)
    assert len(toy.state.values("seed", Split.VAL)) == TASKS


def test_where_answers_differ_the_claim_rests_on_rollouts_that_chose_nothing() -> None:
    toy = Toy(FLASH, noise=NOISE)
    toy.run()
    (claim,) = claims(toy)
    events = [entry.event for entry in toy.store.entries()]
    last = max(at for at, event in enumerate(events) if isinstance(event, Decided))
    after = [
        event.value
        for event in events[last:]
        if event.kind == "rollout" and event.candidate == claim.candidate
    ]
    assert claim.fresh
    assert claim.rollouts == len(after) >= 3 * TASKS
    assert claim.mean == pytest.approx(sum(value or 0.0 for value in after) / len(after))
    assert claim.low < claim.mean < claim.high


def test_a_run_that_is_killed_during_its_claim_pays_for_none_of_it_twice() -> None:
    whole = Toy(FLASH, noise=NOISE)
    whole.run()
    entries = list(whole.store.entries())
    decided = [entry.at for entry in entries if isinstance(entry.event, Decided)][-1]
    claimed = next(entry.at for entry in entries if isinstance(entry.event, Claimed))
    toy = Toy(FLASH, noise=NOISE)
    assert toy.run(kill_at=(decided + claimed) / 2) is None
    assert claims(toy) == []
    toy.run()
    (claim,) = claims(toy)
    rows = toy.state.rollouts[claim.candidate, Split.VAL]
    chosen = Counter(task for task, _ in list(rows)[: toy.state.chosen_by])
    assert Counter(task for task, _ in rows) == {
        task.id: chosen[task.id] + 3 for task in whole.tasks.val
    }
    assert claim.rollouts == 3 * TASKS


def test_a_run_that_is_resumed_after_its_end_claims_nothing_new_for_the_same_champion() -> None:
    toy = Toy(FLASH)
    toy.run()
    toy.run()
    assert len(toy.state.sessions) == 2
    assert len(claims(toy)) == 1

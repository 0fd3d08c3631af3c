import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.core.ids import content_hash
from evolith.simulate.draws import Latency
from evolith.simulate.marks import key_in, note, scope
from evolith.simulate.replies import reply
from evolith.simulate.scorer import judge
from evolith.simulate.world import RULES, SEED_PROMPT, Kind, World, silenced_by

MARKS = st.frozensets(
    st.sampled_from([*RULES, *(scope(one, two) for one in RULES for two in RULES)]), max_size=30
)


def all_scopes(world: World) -> set[str]:
    return {scope(broad, rule) for rule, those in world.overriders.items() for broad in those}


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("seed", range(5))
def test_all_rules_with_all_scopes_are_worth_everything_and_no_marks_nothing(
    kind: Kind, seed: int
) -> None:
    world = World(kind, seed)
    assert world.true_score(frozenset({*RULES, *all_scopes(world)})) == 1
    assert world.true_score(frozenset()) == 0


@pytest.mark.parametrize("seed", range(5))
def test_broad_rules_spoil_what_is_there_and_without_them_nobody_gets_far(seed: int) -> None:
    world = World(Kind.CONFLICTING, seed)
    narrow = [rule for rule in RULES if not world.is_broad(rule)]
    assert world.true_score(frozenset(RULES)) == 0
    assert world.true_score(frozenset(narrow)) < 0.5
    assert len(narrow) == len(RULES) / 2
    assert len(all_scopes(world)) == 40


@given(MARKS, MARKS, st.integers(0, 3))
def test_in_the_additive_world_more_marks_are_never_worth_less(
    some: frozenset[str], more: frozenset[str], seed: int
) -> None:
    world = World(Kind.ADDITIVE, seed)
    assert world.true_score(some) <= world.true_score(some | more)


def test_a_note_answers_its_own_task_and_silences_four_rules() -> None:
    world = World(Kind.CONFLICTING, 0)
    whole = frozenset({*RULES, *all_scopes(world)})
    key = min(world.val_keys)
    noted = whole | {note(key)}
    assert world.is_right(noted, key)
    assert len(silenced_by(note(key))) == 4
    assert world.true_score(noted) < 1


def test_a_noisy_world_answers_by_its_chances() -> None:
    world = World(Kind.NOISY, 0)
    whole = frozenset({*RULES, *all_scopes(world)})
    key = min(world.val_keys)
    assert world.answer(whole, key, 0.89) == "correct"
    assert world.answer(whole, key, 0.91) == "wrong"
    assert world.answer(frozenset(), key, 0.09) == "correct"
    assert world.answer(frozenset(), key, 0.11) == "wrong"


def test_a_world_has_as_many_tasks_as_it_is_told() -> None:
    world = World(Kind.ADDITIVE, 0, train=7, val=3)
    assert (len(world.tasks.train), len(world.tasks.val), len(world.val_keys)) == (7, 3, 3)


@pytest.mark.parametrize(
    ("kind", "digest"),
    [
        ("additive", "2491bced5db65da1"),
        ("conflicting", "b162b32353bad9ec"),
        ("noisy", "eaba34dcc6aea0b9"),
    ],
)
def test_the_draws_of_a_world_stay_as_they_are_so_that_results_compare(
    kind: str, digest: str
) -> None:
    said: list[str] = []
    for seed in range(3):
        world, prompt = World(Kind(kind), seed), SEED_PROMPT
        for turn, task in enumerate(world.tasks.train):
            answer = reply(world, "fake-task", prompt, task.input, turn % 3)
            feedback = judge(key_in(task.input) or "", answer).feedback
            asked = f"```\n{prompt}\n```\n{task.input}\n{answer}\n{feedback}"
            rewritten = reply(world, "fake-reflect", "", asked, turn % 2)
            merged = reply(world, "fake-patch", "", f"{asked}\n{rewritten}", turn % 2)
            latency = Latency(0.1, 0.8).of(seed, "fake-task", prompt, turn)
            said += [answer, rewritten, merged, f"{latency:.9f}"]
            prompt = merged.strip("`\n")
    assert content_hash("\n".join(said))[:16] == digest

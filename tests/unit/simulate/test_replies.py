import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.simulate.marks import marks_in, note
from evolith.simulate.replies import reply
from evolith.simulate.scorer import judge
from evolith.simulate.world import RULES, SEED_PROMPT, Kind, World, rule_of

PROMPTS = st.lists(st.sampled_from(RULES), max_size=10, unique=True).map(" ".join)


def reflected(world: World, prompt: str, nth: int, tasks: int = 3) -> str:
    """Ask for a rewrite of a prompt after it failed on tasks."""
    lines = []
    for task in world.tasks.train[:tasks]:
        answer = reply(world, "fake-task", prompt, task.input, 0)
        feedback = judge(task.input[-8:], answer).feedback
        lines.append(f"Task:\n{task.input}\nAnswer: {answer}\nChecker: {feedback}")
    asked = f"Improve:\n```\n{prompt}\n```\n" + "\n".join(lines)
    return reply(world, "fake-reflect", "", asked, nth)


@given(PROMPTS, st.integers(0, 30))
def test_without_conflicts_a_rewrite_adds_at_most_one_rule_that_the_feedback_named(
    prompt: str, nth: int
) -> None:
    world = World(Kind.ADDITIVE, 0)
    named = {rule_of(task.input[-8:]) for task in world.tasks.train[:3]}
    new = marks_in(reflected(world, prompt, nth)) - marks_in(prompt)
    assert len(new) <= 1
    assert new <= named


def test_rewrites_help_about_as_often_as_they_should() -> None:
    world = World(Kind.ADDITIVE, 1)
    helped = [bool(marks_in(reflected(world, SEED_PROMPT, nth))) for nth in range(1000)]
    assert sum(helped) == pytest.approx(500, abs=60)


def test_now_and_then_a_rewrite_is_a_note_about_one_task_where_there_are_conflicts() -> None:
    notes = {note(task.input[-8:]) for task in World(Kind.CONFLICTING, 0).tasks.train[:3]}
    found = set[str]()
    for nth in range(200):
        found |= marks_in(reflected(World(Kind.CONFLICTING, 0), SEED_PROMPT, nth))
    assert found & notes
    assert {mark for mark in found if mark.startswith("NOTE")} <= notes


@given(PROMPTS, PROMPTS, st.integers(0, 30))
def test_a_merge_holds_what_both_prompts_hold_or_only_the_first(
    first: str, second: str, nth: int
) -> None:
    asked = f"Now:\n```\n{first}\n```\nStale:\n```\n{second}\n```"
    merged = marks_in(reply(World(Kind.ADDITIVE, 0), "fake-patch", "", asked, nth))
    assert merged in (marks_in(first), marks_in(first) | marks_in(second))


def test_a_question_without_a_key_is_answered_wrong() -> None:
    assert reply(World(Kind.NOISY, 0), "fake-task", " ".join(RULES), "who?", 0) == "wrong"


def test_the_feedback_names_the_scopes_that_would_cure_a_conflict() -> None:
    world = World(Kind.CONFLICTING, 0)
    key = min(world.val_keys)
    blocker = world.overriders[rule_of(key)][0]
    held = f"{rule_of(key)} {blocker}"
    score = judge(key, reply(world, "fake-task", held, f"key={key}", 0))
    cured = f"{held} {score.feedback.partition('missing ')[2]}"
    assert score.value == 0
    assert reply(world, "fake-task", cured, f"key={key}", 0) == "correct"

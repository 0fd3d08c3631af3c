"""Which failures tell of the same fault."""

from hypothesis import given
from hypothesis import strategies as st

from evolith.algorithms.flash.kin import Kin

SAID = {
    "t1": "the instructions are missing RULE-01",
    "t2": "the instructions are missing RULE-02",
    "t3": "the instructions are missing RULE-01 or RULE-03",
    "t4": "the unit of the answer is wrong",
    "t5": "the answer is no number",
    "t6": "the answer is too long",
    "t7": "the instructions are missing RULE-07",
}


def told(said: dict[str, str], alike: float = 0.5) -> Kin:
    kin = Kin(alike)
    for task, text in said.items():
        kin.hear(task, text)
    return kin


def test_tasks_are_kin_where_the_rare_words_of_their_feedback_are_shared() -> None:
    kin = told(SAID, 0.4)
    assert kin.kin("t1", "t3")
    assert not kin.kin("t1", "t2")  # all that they share is said of many
    assert not kin.kin("t1", "t4")


def test_a_task_that_never_failed_is_kin_to_nobody() -> None:
    assert not told(SAID).kin("t1", "never")
    assert not told(SAID).kin("never", "never")


def test_the_same_text_twice_makes_kin_but_not_where_it_is_said_of_everything() -> None:
    few = told({**SAID, "t8": SAID["t1"]})
    assert few.kin("t1", "t8")
    every = told({f"t{number}": "wrong" for number in range(12)})
    assert not every.tells("wrong")
    assert not every.kin("t1", "t2")


def test_a_text_that_was_said_of_a_task_once_counts_from_then_on() -> None:
    kin = told(SAID)
    assert not kin.kin("t5", "t1")
    kin.hear("t5", SAID["t1"])
    assert kin.kin("t5", "t1")


def test_silence_tells_nothing() -> None:
    kin = told({"t1": "", "t2": ""})
    assert not kin.tells("")
    assert not kin.kin("t1", "t2")


TEXTS = st.lists(st.sampled_from("abcde"), min_size=1, max_size=5).map(" ".join)


@given(st.dictionaries(st.sampled_from("tuvwxyz"), TEXTS), TEXTS, TEXTS)
def test_likeness_does_not_ask_who_comes_first(said: dict[str, str], one: str, two: str) -> None:
    kin = told(said)
    assert kin.similar(one, two) == kin.similar(two, one)
    for a in said:
        for b in said:
            assert kin.kin(a, b) == kin.kin(b, a)

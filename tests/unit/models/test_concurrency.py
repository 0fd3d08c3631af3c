"""The concurrency in use with one provider."""

from hypothesis import given
from hypothesis import strategies as st

from evolith.models.concurrency import Concurrency

EVENTS = st.lists(st.sampled_from(["answer", "refusal", "refusal with a wait"]), max_size=200)


@given(st.integers(1, 64), EVENTS)
def test_it_stays_between_one_and_the_most_that_is_allowed(most: int, events: list[str]) -> None:
    concurrency = Concurrency(most)
    assert concurrency.level == most
    for now, event in enumerate(events, start=1):
        before = concurrency.level
        if event == "answer":
            concurrency.answered()
            assert before <= concurrency.level <= min(most, before + 1)
        else:
            concurrency.refused(now, now, paced=event == "refusal with a wait")
            assert max(1, before // 2) <= concurrency.level <= max(1, (before + 1) / 2)


def test_refusals_of_calls_that_were_under_way_together_halve_it_once() -> None:
    concurrency = Concurrency(64)
    for sent_at in (0.0, 0.2, 0.9):
        concurrency.refused(sent_at, now=1.0 + sent_at, paced=False)
    assert concurrency.level == 32
    concurrency.refused(1.5, now=2.0, paced=False)
    assert concurrency.level == 16


def test_it_grows_by_one_with_each_round_of_answers() -> None:
    concurrency = Concurrency(64)
    concurrency.refused(0.0, now=1.0, paced=False)
    for _ in range(33):
        concurrency.answered()
    assert concurrency.level == 33


def test_it_grows_by_one_with_each_answer_where_refusals_say_how_long_to_wait() -> None:
    concurrency = Concurrency(64)
    concurrency.refused(0.0, now=1.0, paced=True)
    for _ in range(20):
        concurrency.answered()
    assert concurrency.level == 52

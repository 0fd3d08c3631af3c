"""Who follows after a wait."""

from evolith.models.reopening import Reopening


def after_a_refusal(seconds: float) -> Reopening:
    reopening = Reopening()
    reopening.refused(0.0, seconds)
    reopening.begin()
    return reopening


def test_nobody_waits_for_another_before_the_first_wait() -> None:
    reopening = Reopening()
    for _ in range(100):
        assert reopening.wait(1.0) == 0
        reopening.sent(1.0)


def test_where_no_answers_come_twice_as_many_follow_each_time_that_no_refusal_came() -> None:
    reopening = after_a_refusal(0.375)  # so after a second a call counts as taken
    now, went = 10.0, list[float]()
    for _ in range(8):
        now += reopening.wait(now)
        reopening.sent(now)
        went.append(round(now, 3))
    assert [sum(at <= 10.0 + second for at in went) for second in range(4)] == [1, 2, 4, 8]


def test_with_each_round_of_answers_twice_as_many_may_follow_at_once() -> None:
    reopening, now, crowds = after_a_refusal(5.0), 10.0, list[int]()
    for _ in range(5):
        crowd = 0
        while reopening.wait(now) == 0:
            reopening.sent(now)
            crowd += 1
        crowds.append(crowd)
        for _ in range(crowd):
            reopening.answered(now)
        now += 0.1
    assert crowds == [1, 2, 4, 8, 16]


def test_answers_to_calls_from_before_the_wait_do_not_count() -> None:
    reopening = after_a_refusal(5.0)
    reopening.sent(10.0)
    reopening.answered(3.0)
    assert reopening.wait(10.0) > 0

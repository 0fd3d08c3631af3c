"""In which order validation tasks are run."""

from hypothesis import given
from hypothesis import strategies as st

from evolith.core.task import Task
from evolith.engine.order import ROUNDS, Order

TASKS = [Task(f"t{number}", "?") for number in range(7)]
ROUND = st.dictionaries(st.sampled_from([task.id for task in TASKS]), st.booleans())


def names(order: Order) -> list[str]:
    return [task.id for task in order.current()]


def test_at_first_tasks_are_run_as_they_are_given() -> None:
    assert names(Order(TASKS)) == [task.id for task in TASKS]


def test_a_task_that_was_passed_three_times_running_goes_last_until_it_is_failed() -> None:
    order = Order(TASKS)
    for _ in range(ROUNDS):
        assert names(order)[-1] == "t6"
        order.learn({"t0": True, "t1": False})
    assert names(order) == ["t1", "t2", "t3", "t4", "t5", "t6", "t0"]
    order.learn({"t0": False})
    assert names(order)[0] == "t0"


def test_a_task_that_an_evaluation_left_out_keeps_what_it_has() -> None:
    order = Order(TASKS)
    for seen in ({"t2": True}, {}, {"t2": True}, {"t0": False}, {"t2": True}):
        order.learn(seen)
    assert order.easy() == ("t2",)


def test_at_most_half_of_the_tasks_go_last_and_these_are_the_longest_passed() -> None:
    order = Order(TASKS)
    order.learn({"t5": True, "t6": True, "t4": True})
    for _ in range(ROUNDS):
        order.learn({task.id: True for task in TASKS})
    assert set(order.easy()) == {"t4", "t5", "t6"}


@given(st.lists(ROUND, max_size=12))
def test_every_task_is_in_the_order_once_and_the_same_rounds_give_the_same_order(
    rounds: list[dict[str, bool]],
) -> None:
    one, two = Order(TASKS), Order(TASKS)
    for seen in rounds:
        one.learn(seen)
        two.learn(seen)
    assert sorted(names(one)) == [task.id for task in TASKS]
    assert names(one) == names(two)
    easy = set(one.easy())
    for task in easy:
        last = [seen[task] for seen in rounds if task in seen][-ROUNDS:]
        assert last == [True] * ROUNDS

from decimal import Decimal

import pytest

from evolith.core.messages import Role
from evolith.core.task import Split
from evolith.report.build import build_report
from evolith.report.words import money_each
from evolith.testing.story import Story


def begun() -> Story:
    story = Story("pace", {Split.VAL: 1})
    story.session()
    story.candidate("seed", {"prompt.md": ""})
    story.decided("seed", "seed", "accepted")
    return story


def propose(story: Story, name: str, *, accepted: bool, money: str = "0") -> None:
    story.selected(name, "seed", (), "reflect")
    story.called(f"{name}/reflect/reflect/0", Role.REFLECT, (10, 0), money)
    story.candidate(f"c{name}", {"prompt.md": name}, ("seed",), name, "reflect")
    story.rollout(f"c{name}", Split.VAL, "v1", 1.0)
    story.decided(name, f"c{name}", "accepted" if accepted else "rejected")


def test_the_pace_is_that_until_the_last_decision() -> None:
    story = begun()
    propose(story, "p1", accepted=True)
    propose(story, "p2", accepted=False)
    took = build_report(story.archive()).state.seconds
    story.now += 500  # such as a long sealed test
    story.rollout("cp1", Split.TEST, "x1", 1.0)
    pace = build_report(story.archive()).pace
    assert pace
    assert pace.seconds == took
    assert (pace.proposals.total, pace.accepted.total, pace.rollouts.total) == (2, 1, 2)
    assert pace.proposals.per_minute == pytest.approx(2 * 60 / took)


def test_looks_and_judgements_are_no_proposals(flash: Story) -> None:
    pace = build_report(flash.archive()).pace
    assert pace
    assert (pace.proposals.total, pace.accepted.total, pace.held.total) == (6, 1, 6)


def test_an_accepted_improvement_costs_what_was_spent_divided_by_their_number() -> None:
    story = begun()
    propose(story, "p1", accepted=True, money="0.30")
    propose(story, "p2", accepted=True, money="0.30")
    propose(story, "p3", accepted=False, money="0.30")
    pace = build_report(story.archive()).pace
    assert pace
    assert pace.money_per_accepted == Decimal("0.45")


@pytest.mark.parametrize(("accepted", "money"), [(True, "0"), (False, "0.30")])
def test_there_is_a_dash_where_nothing_was_spent_or_accepted(*, accepted: bool, money: str) -> None:
    story = begun()
    propose(story, "p1", accepted=accepted, money=money)
    pace = build_report(story.archive()).pace
    assert pace
    assert money_each(pace) == "-"


def test_before_the_first_decision_there_is_no_pace() -> None:
    assert build_report(begun().archive()).pace is None

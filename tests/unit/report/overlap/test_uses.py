from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolith.core.budget import Amount
from evolith.core.messages import Role
from evolith.core.task import Split
from evolith.report.build import build_report
from evolith.report.data import Report
from evolith.report.tables import spending, wasted
from evolith.testing.story import Outcome, Story

CODES = ("stale", "retracted", "given_up", "fused", "won", "frees", "not_better", "superseded")


def tokens(report: Report) -> dict[str, int]:
    return {use.cause: use.amount.tokens for use in report.cost.uses}


def whole(report: Report) -> Amount:
    return sum((use.amount for use in report.cost.uses), start=Amount())


@pytest.mark.parametrize("name", ["news", "busy", "flash", "awkward"])
def test_what_was_spent_adds_up_to_the_whole(name: str, request: pytest.FixtureRequest) -> None:
    story: Story = request.getfixturevalue(name)
    report = build_report(story.archive())
    assert whole(report) == report.cost.total


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(get_args(Outcome)),
            st.sampled_from(CODES),
            st.integers(0, 4),
            st.booleans(),
        ),
        max_size=12,
    )
)
def test_whatever_became_of_the_proposals_their_cost_adds_up(
    ends: list[tuple[Outcome, str, int, bool]],
) -> None:
    story = Story("any", {Split.VAL: 2})
    story.session()
    story.candidate("seed", {"prompt.md": ""})
    story.decided("seed", "seed", "accepted")
    names = ["seed"]
    for number, (outcome, code, parent, judged) in enumerate(ends):
        item, child = f"p{number}", f"c{number}"
        story.selected(item, names[parent % len(names)], (), "reflect", *names[-1:])
        story.called(f"{item}/reflect/reflect/0", Role.REFLECT, (7, 1))
        story.called(f"{item}/repair/repair/0", Role.REPAIR, (3, 1))
        story.candidate(child, {"prompt.md": child}, (names[parent % len(names)],), item)
        story.rollout(child, Split.VAL, "v1", 1.0)
        story.decided(item, child, outcome, code)
        if judged:
            story.selected(f"j{number}", child, (), "judge")
            story.rollout(child, Split.VAL, "v2", 0.0)
            story.decided(f"j{number}", child, "rejected", "not_better")
        names.append(child)
    report = build_report(story.archive())
    assert whole(report) == report.cost.total
    assert all(use.amount.tokens > 0 for use in report.cost.uses)


def test_waste_is_told_by_its_cause(busy: Story) -> None:
    found = tokens(build_report(busy.archive()))
    assert found == {
        "used": 4 * 11 + 100 + 10 + 4 * 11 + 100 + 10 + 4 * 11,
        "rejected": 100 + 10,
        "stale": 100 + 10,
        "retracted": 20,
        "given_up": 30,
        "repair": 40,
        "under_way": 50,
    }


def test_a_change_that_was_fused_into_what_was_accepted_is_in_use(flash: Story) -> None:
    found = tokens(build_report(flash.archive()))
    # The look, both changes and the proved line with its comparison are in use; of the newer line
    # the comparison is lost and the rest is left over, as is the change that nothing was made of.
    assert found == {
        "used": 11 + 2 * (100 + 11) + 4 * 11,
        "given_up": 2 * 11,
        "left_over": 2 * (100 + 11),
    }


def test_a_change_that_waits_is_no_waste_while_the_run_is_at_work() -> None:
    story = Story("open", {})
    story.session()
    story.candidate("seed", {"prompt.md": ""})
    story.decided("seed", "seed", "accepted")
    story.selected("p1", "seed", (), "reflect")
    story.called("p1/reflect/reflect/0", Role.REFLECT, (7, 1))
    story.candidate("c1", {"prompt.md": "1"}, ("seed",), "p1")
    story.decided("p1", "c1", "held", "won")
    assert tokens(build_report(story.archive())) == {"under_way": 8}
    story.ended("drained")
    assert tokens(build_report(story.archive())) == {"left_over": 8}


def test_a_refused_text_that_a_later_item_came_back_to_is_in_use_once_it_is_accepted() -> None:
    story = Story("back", {})
    story.session()
    story.candidate("seed", {"prompt.md": ""})
    story.decided("seed", "seed", "accepted")
    story.selected("p1", "seed", (), "reflect")
    story.candidate("c1", {"prompt.md": "1"}, ("seed",), "p1", "reflect")
    story.rollout("c1", Split.TRAIN, "t1", 1.0)
    story.decided("p1", "c1", "rejected", "not_safe")
    story.selected("p2", "seed", (), "fuse")
    story.decided("p2", "c1", "held", "moved")
    assert tokens(build_report(story.archive())) == {"rejected": 11}
    story.selected("p3", "c1", (), "judge")
    story.decided("p3", "c1", "accepted", "proved")
    assert tokens(build_report(story.archive())) == {"used": 11}


def test_leaving_a_part_out_is_in_use_once_the_part_is_gone() -> None:
    story = Story("pruned", {})
    story.session()
    for name in ("seed", "part"):
        story.candidate(name, {"prompt.md": name})
        story.decided(name, name, "accepted")
    story.selected("p1", "seed", (), "leave_out", "part")
    story.candidate("without", {"prompt.md": "-"}, ("seed", "part"), "p1", "leave_out")
    story.rollout("without", Split.TRAIN, "t1", 1.0)
    story.decided("p1", "without", "held", "frees")
    story.ended("drained")
    assert tokens(build_report(story.archive())) == {"left_over": 11}
    story.session(2)
    story.selected("p2", "seed", (), "prune", "part")
    story.candidate("pruned", {"prompt.md": "--"}, ("seed", "part"), "p2", "prune")
    story.decided("p2", "pruned", "accepted", "proved")
    assert tokens(build_report(story.archive())) == {"used": 11}


def test_the_table_of_what_was_spent_ends_with_the_whole(busy: Story) -> None:
    rows = spending(build_report(busy.archive())).rows
    assert rows[0][0] == "in use: seed, accepted changes, test"
    assert rows[-1][:4] == ["all", "18", "712", "100.0%"]


def test_a_run_that_wasted_nothing_has_no_table_of_it() -> None:
    story = Story("small", {Split.VAL: 1})
    story.candidate("seed", {"prompt.md": ""})
    story.rollout("seed", Split.VAL, "v1", 1.0)
    story.decided("seed", "seed", "accepted")
    report = build_report(story.archive())
    assert (spending(report).rows, wasted(report.cost)) == ([], [])


def test_the_waste_in_a_line_is_the_share_of_each_cause(busy: Story) -> None:
    share, causes = wasted(build_report(busy.archive()).cost)
    assert share == "43.5%"
    assert causes == "rejected 15.4%, stale 15.4%, retracted 2.8%, given up 4.2%, repair 5.6%"

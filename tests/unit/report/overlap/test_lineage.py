"""The lineage of runs whose candidates are fused, moved and mended."""

from collections.abc import Callable

from rich.console import Console

from evolith.report.build import build_report
from evolith.report.candidate import build_candidate
from evolith.report.candidate_text import print_candidate
from evolith.report.data import Node
from evolith.report.html import to_html
from evolith.report.tables import kept
from evolith.testing.story import Story

Printed = Callable[[Callable[[Console], None]], str]


def node(story: Story, name: str) -> Node:
    return next(node for node in build_report(story.archive()).lineage if node.id == name)


def shown(story: Story, name: str, printed: Printed) -> str:
    sheet = build_candidate(story.archive(), name)
    return printed(lambda console: print_candidate(sheet, console))


def test_a_line_stands_where_it_was_made_and_is_accepted_once_it_is_proved(flash: Story) -> None:
    line = node(flash, "l1")
    assert (line.order, line.outcome, line.parents) == (4, "accepted", ("seed", "c2", "c3"))
    assert node(flash, "l2").outcome == "held"


def test_parents_come_before_children_though_they_are_proved_later(flash: Story) -> None:
    names = [node.id for node in build_report(flash.archive()).lineage]
    assert names.index("l1") < names.index("c6") < names.index("l2") < names.index("c9")


def test_the_table_says_from_which_accepted_candidate_a_line_came(flash: Story) -> None:
    rows = kept(build_report(flash.archive())).rows
    assert [row[1:] for row in rows] == [
        ["seed", "0.0%", "seed", ""],
        ["l1", "100.0%", "fuse", "seed, through 2 others"],
    ]


def test_an_accepted_ancestor_of_another_is_not_named_as_well(flash: Story) -> None:
    flash.session(2)
    flash.selected("p0010", "l2", (), "fuse", "c9", "c2")
    parents = ("l2", "c9", "c2")  # c2 was made from the seed, long ago
    flash.candidate("l3", {"prompt.md": "all\n"}, parents, "p0010", "fuse")
    flash.decided("p0010", "l3", "held", "moved")
    flash.selected("p0011", "l3", (), "judge")
    flash.decided("p0011", "l3", "accepted", "proved")
    assert (node(flash, "l3").sources, node(flash, "l3").between) == (("l1",), 4)


def test_a_moved_text_comes_from_the_champion_and_from_its_old_self(busy: Story) -> None:
    moved = node(busy, "c2b")
    assert moved.parents == ("c1", "c2")
    assert (moved.sources, moved.between) == (("c1",), 1)
    assert node(busy, "c2").outcome is None


def test_only_steps_between_evaluated_candidates_are_strong_in_the_picture(flash: Story) -> None:
    text = to_html(build_report(flash.archive()))
    wide = text.split("Lineage: validation score")[1].split("</svg>")[0]
    assert wide.count('"edge strong"') == 1


def test_a_fused_candidate_is_shown_with_all_it_was_made_of(flash: Story, printed: Printed) -> None:
    text = shown(flash, "l1", printed)
    lines = [line.split() for line in text.splitlines()]
    assert lines[0] == ["l1", "accepted"]
    assert "fuse, p0004, from seed, c2 and c3" in text
    assert "moved: the line moves" in text
    assert "proved: +1.000 against the champion" in text
    assert ["c2", "reflect", "held", "wins", "t2"] in lines
    assert ["c3", "reflect", "held", "wins", "t3"] in lines
    assert text.count("Diff  against") == 1
    assert "Diff  against seed" in text


def test_a_moved_candidate_is_shown_with_the_trial_of_what_it_was(
    busy: Story, printed: Printed
) -> None:
    text = shown(busy, "c2b", printed)
    assert "rebase, p0002, from c1 and c2" in text
    assert "Minibatch  the parent before, c2 after" in text
    assert "Diff  against c1" in text


def test_a_stale_candidate_names_what_goes_on_in_its_place(busy: Story, printed: Printed) -> None:
    assert "replaced, since it was stale: c2b goes on in its place" in shown(busy, "c2", printed)
    assert "It was run on train tasks alone." in shown(busy, "c2", printed)

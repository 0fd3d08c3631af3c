from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console

from evolith.core.task import Split
from evolith.errors import Boundary, UsageError
from evolith.report.candidate import build_candidate, find_candidate
from evolith.report.candidate_text import print_candidate
from evolith.testing.story import Story

Printed = Callable[[Callable[[Console], None]], str]


@pytest.fixture
def story() -> Story:
    story = Story("s", {Split.TRAIN: 2, Split.VAL: 1})
    story.candidate("seed", {"prompt.md": "Answer.\n"})
    story.rollouts("seed", Split.VAL, {"v1": 0.0})
    story.decided("seed", "seed", "accepted")
    story.selected("p0001", "seed", ("t1", "t2"), "reflect")
    story.rollout("seed", Split.TRAIN, "t1", 0.0, feedback="too long")
    story.rollout("seed", Split.TRAIN, "t2", Boundary.PROVIDER)
    story.rollout("seed", Split.TRAIN, "t2", 0.5, attempt=1, feedback="half right")
    story.candidate("cab1", {"prompt.md": "Be brief.\n"}, ("seed",), "p0001", "reflect", "Shorter.")
    story.rollout("cab1", Split.TRAIN, "t1", 1.0, feedback="right")
    story.rollout("cab1", Split.TRAIN, "t2", Boundary.SCORER)
    story.rollouts("cab1", Split.VAL, {"v1": 1.0})
    story.decided("p0001", "cab1", "accepted", "better", "it is better", (0.25, 1.0, 1.0))
    story.selected("p0002", "cab1", (), "reflect")
    story.candidate("cab2", {"prompt.md": "Be.\n"}, ("cab1",), "p0002", "reflect")
    return story


def test_a_candidate_is_shown_with_its_evidence_before_and_after(story: Story) -> None:
    sheet = build_candidate(story.archive(), "cab1")
    found = [(e.task, e.before, e.after) for e in sheet.evidence]
    trials = [(b.value, b.feedback, a.value, a.feedback) for _, (b,), a in found if b and a]
    assert [task for task, *_ in found] == ["t1", "t2"]
    assert trials == [
        (0.0, "too long", 1.0, "right"),
        (0.5, "half right", None, "scorer: no answer"),
    ]


def test_the_sheet_holds_verdict_scores_rationale_and_diff(story: Story) -> None:
    sheet = build_candidate(story.archive(), "cab1")
    assert sheet.val
    assert [(d.outcome, d.reason) for d in sheet.decisions] == [("accepted", "it is better")]
    assert (sheet.val.value, sheet.test, sheet.rationale) == (1.0, None, "Shorter.")
    assert "-Answer.\n+Be brief.\n" in sheet.changes[0][1].diff


def test_a_merge_is_compared_with_both_parents(story: Story, printed: Printed) -> None:
    story.candidate("cb", {"prompt.md": "Answer.\n", "format.md": "One.\n"}, ("seed",), "p0003")
    story.selected("p0004", "cab1", ("v1",), "merge", "cb")
    files = {"prompt.md": "Be brief.\n", "format.md": "One.\n"}
    story.candidate("cm", files, ("cab1", "cb"), "p0004", "merge")
    story.rollout("cb", Split.VAL, "v1", 0.25, feedback="so-so")
    story.rollout("cm", Split.VAL, "v1", 0.75, feedback="better")
    sheet = build_candidate(story.archive(), "cm")
    assert ["+One." in change.diff for _, change in sheet.changes] == [True, False]
    assert ["+Be brief." in change.diff for _, change in sheet.changes] == [False, True]
    text = printed(lambda console: print_candidate(sheet, console))
    lines = [line.strip() for line in text.splitlines()]
    assert "Minibatch  cab1 and then cb before, this candidate after" in lines
    assert [line.split()[:2] for line in lines if line.startswith(("before ", "after "))] == [
        ["before", "1.00"],
        ["before", "0.25"],
        ["after", "0.75"],
    ]
    assert "Diff  against cab1" in lines
    assert "Diff  against cb" in lines


def test_an_undecided_candidate_and_the_seed_can_be_shown(story: Story, printed: Printed) -> None:
    undecided, seed = (build_candidate(story.archive(), name) for name in ("cab2", "seed"))
    assert (undecided.decisions, undecided.val, seed.decisions) == ((), None, ())
    assert "It was not run." in printed(lambda console: print_candidate(undecided, console))
    assert "+Answer." in printed(lambda console: print_candidate(seed, console))


@pytest.mark.parametrize("name", ["cab1", "champion", "p0001"])
def test_a_candidate_is_found_by_id_by_proposal_and_as_champion(name: str, story: Story) -> None:
    assert find_candidate(story.archive(), name) == "cab1"


def test_a_candidate_is_found_by_the_beginning_of_its_id(story: Story) -> None:
    assert find_candidate(story.archive(), "se") == "seed"


def test_an_ambiguous_beginning_names_the_candidates(story: Story) -> None:
    with pytest.raises(UsageError, match="2 candidates begin with 'ca': cab1, cab2"):
        find_candidate(story.archive(), "ca")


@pytest.mark.parametrize("name", ["x", ""])
def test_an_unknown_candidate_is_refused_with_what_to_give(name: str, story: Story) -> None:
    with pytest.raises(UsageError) as caught:
        find_candidate(story.archive(), name)
    assert "champion" in caught.value.fix


def test_a_run_without_a_champion_says_so() -> None:
    with pytest.raises(UsageError, match="no candidate is evaluated yet"):
        find_candidate(Story("s").archive(), "champion")


def test_the_printed_sheet_shows_all_of_it_in_80_columns(
    story: Story, awkward: Story, printed: Printed
) -> None:
    sheet = build_candidate(story.archive(), "cab1")
    text = printed(lambda console: print_candidate(sheet, console))
    for words in (
        "accepted",
        "Shorter.",
        "before  0.00    too long",
        "failed  scorer",
        "+Be brief.",
    ):
        assert words in text
    hard = build_candidate(awkward.archive(), "champion")
    text = printed(lambda console: print_candidate(hard, console))
    assert max(cell_len(line) for line in text.splitlines()) <= 80

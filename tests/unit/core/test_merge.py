"""Three-way merges: what either side brought is there, what nobody touched is as it was."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.core.artifact import Artifact
from evolith.core.merge import merge, merge_text

TEXTS = st.text(alphabet="ab \n\r", max_size=12)
ARTIFACTS = st.dictionaries(st.sampled_from(["a.md", "b.md", "list.jsonl"]), TEXTS, max_size=3).map(
    Artifact.of
)
NUMBERS = st.integers(0, 9)
FLAGS = st.lists(st.booleans(), min_size=12, max_size=12)


def of(**files: str) -> Artifact:
    return Artifact.of({f"{name}.md": text for name, text in files.items()})


@given(ARTIFACTS, ARTIFACTS)
def test_what_only_one_side_changed_is_taken_from_it(base: Artifact, side: Artifact) -> None:
    assert merge(base, base, side) == side
    assert merge(base, side, base) == side


@given(ARTIFACTS, ARTIFACTS)
def test_what_both_sides_did_alike_is_done_once(base: Artifact, side: Artifact) -> None:
    assert merge(base, side, side) == side


@given(ARTIFACTS, ARTIFACTS, ARTIFACTS)
def test_any_three_artifacts_can_be_merged(
    base: Artifact, ours: Artifact, theirs: Artifact
) -> None:
    merged = merge(base, ours, theirs)
    assert set(merged) <= {*base, *ours, *theirs}


@st.composite
def sides(draw: st.DrawFn, unit: str) -> tuple[list[str], list[list[str]], list[set[str]]]:
    """Return some words, two sides that add and remove some, and what each has removed."""
    base = [f"{unit}{number}" for number in range(draw(st.integers(0, 12)))]
    made, removed = [], []
    for name in ("ours", "theirs"):
        gone = {word for word, out in zip(base, draw(FLAGS), strict=False) if out}
        side = [word for word in base if word not in gone]
        for number in range(draw(st.integers(0, 4))):
            side.insert(draw(st.integers(0, len(side))), f"{name}{number}")
        made.append(side)
        removed.append(gone)
    return base, made, removed


def lines(words: Sequence[str]) -> str:
    return "".join(f"{word}\n" for word in words)


@given(sides("line"))
def test_lines_that_a_side_added_are_there_and_lines_that_a_side_removed_are_not(
    case: tuple[list[str], list[list[str]], list[set[str]]],
) -> None:
    base, (ours, theirs), (gone_in_ours, gone_in_theirs) = case
    merged = merge_text(lines(base), lines(ours), lines(theirs)).split()
    wanted = ({*base, *ours, *theirs}) - gone_in_ours - gone_in_theirs
    assert sorted(merged) == sorted(wanted)  # each once
    for side in (ours, theirs):
        kept = [line for line in side if line in wanted]
        assert [line for line in merged if line in kept] == kept  # in the order of both sides


@given(sides("word"), st.integers(1, 6))
def test_words_that_a_side_added_or_both_kept_are_there(
    case: tuple[list[str], list[list[str]], list[set[str]]], width: int
) -> None:
    base, (ours, theirs), (gone_in_ours, gone_in_theirs) = case

    def text(words: Sequence[str]) -> str:
        return lines([" ".join(words[at : at + width]) for at in range(0, len(words), width)])

    merged = merge_text(text(base), text(ours), text(theirs)).split()
    assert set(merged) >= ({*base, *ours, *theirs}) - gone_in_ours - gone_in_theirs
    assert set(merged) <= {*base, *ours, *theirs}


@given(sides("line"))
def test_what_a_part_added_can_be_taken_out_again(
    case: tuple[list[str], list[list[str]], list[set[str]]],
) -> None:
    base, (part, other), (gone, _) = case
    added = [line for line in part if line not in base]
    assert not added or set(added).isdisjoint(other)
    whole = merge_text(lines(base), lines(other), lines(part))
    without = merge_text(lines(part), whole, lines(base)).split()
    assert sorted(without) == sorted({*other, *gone})


def test_two_changes_of_one_line_are_joined_word_by_word() -> None:
    base = "Answer in one short line.\n"
    ours = "Answer in one short line. Never guess.\n"
    theirs = "Answer politely in one short line.\n"
    assert merge_text(base, ours, theirs) == "Answer politely in one short line. Never guess.\n"


def test_joined_lines_stay_lines_with_what_they_are_indented_by() -> None:
    base = "- read the task\n  - twice at least\nEnd\n"
    ours = "- read the whole task\n  - twice at least\nEnd\n"
    theirs = "- read the task now\n  - twice at least, or more\nEnd\n"
    assert merge_text(base, ours, theirs) == (
        "- read the whole task now\n  - twice at least, or more\nEnd\n"
    )


def test_sides_with_little_in_common_both_keep_their_lines() -> None:
    merged = merge_text("old\n", "Use short words.\n", "Name every source!\n")
    assert merged == "Use short words.\nName every source!\n"


def test_the_same_insertion_comes_once_beside_others() -> None:
    base, ours, theirs = "a\nz\n", "a\nsame\nmine\nz\n", "a\nsame\nyours\nz\n"
    assert merge_text(base, ours, theirs).split() == ["a", "same", "mine", "yours", "z"]


def test_characters_that_some_call_line_ends_are_left_as_they_are() -> None:
    base = "one\x0ctwo\u2028three\r\nfour\n"
    merged = merge_text(base, f"zero\n{base}", f"{base}five\n")
    assert merged == f"zero\n{base}five\n"


def test_files_are_merged_by_path_and_a_change_outlives_a_deletion() -> None:
    base = of(kept="x\n", gone="x\n", both="x\n")
    ours = of(kept="y\n", both="x\n", new="n\n")
    theirs = of(kept="x\n", gone="z\n", both="x\n", other="o\n")
    assert merge(base, ours, theirs) == of(
        kept="y\n", gone="z\n", both="x\n", new="n\n", other="o\n"
    )
    assert merge(base, of(kept="x\n", gone="x\n"), base) == of(kept="x\n", gone="x\n")


def listed(items: dict[str, int]) -> str:
    return "".join(f"{json.dumps({'id': name, 'n': n})}\n" for name, n in items.items())


ITEMS = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2))


@given(ITEMS, ITEMS, ITEMS)
def test_lists_are_merged_item_by_item(
    base: dict[str, int], ours: dict[str, int], theirs: dict[str, int]
) -> None:
    merged = merge(*(Artifact.of({"book.jsonl": listed(each)}) for each in (base, ours, theirs)))
    rows = map(json.loads, merged.as_dict()["book.jsonl"].splitlines())
    found = {row["id"]: row["n"] for row in rows}
    for name in {*base, *ours, *theirs}:
        old, left, right = base.get(name), ours.get(name), theirs.get(name)
        if right in (left, old):
            wanted = left
        elif left == old or left is None:
            wanted = right
        else:
            wanted = left
        assert found.get(name) == wanted


def test_lists_without_ids_are_merged_by_whole_lines() -> None:
    one, two, three = (f'{{"input": "a b c", "output": "{word}"}}\n' for word in "xyz")
    path = "demos.jsonl"
    merged = merge(*(Artifact.of({path: text}) for text in (one, two, three)))
    assert merged.as_dict()[path] == two + three


@pytest.mark.parametrize("text", ["", "\n", "x", "x\n", "\n\nx\n"])
def test_a_text_that_nobody_changed_is_left_to_the_last_character(text: str) -> None:
    assert merge_text(text, text, text) == text

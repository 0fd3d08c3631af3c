"""Changes: applying, undoing, and when two may be made in either order."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.core.artifact import Artifact
from evolith.core.change import Change
from evolith.core.surface import Surface
from evolith.errors import ArtifactError

LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "long line"]), max_size=8).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)
TEXTS = LINES | st.text(alphabet="ab\n", max_size=12)
FILES = st.dictionaries(st.sampled_from(["a.md", "b.md", "c.md"]), TEXTS, max_size=3)


@given(FILES, FILES)
def test_a_change_leads_from_one_artifact_to_the_other_and_back(
    a: dict[str, str], b: dict[str, str]
) -> None:
    before, after = Artifact.of(a), Artifact.of(b)
    change = Change.between(before, after)
    assert change.apply(before) == after
    assert change.invert().apply(after) == before
    assert change.invert().invert() == change


@given(FILES, FILES, FILES)
def test_commuting_changes_give_the_same_artifact_in_both_orders(
    base: dict[str, str], left: dict[str, str], right: dict[str, str]
) -> None:
    start = Artifact.of(base)
    one = Change.between(start, Artifact.of(left))
    two = Change.between(start, Artifact.of(right))
    assert one.commutes(two) == two.commutes(one)
    if one.commutes(two):
        assert two.apply(one.apply(start)) == one.apply(two.apply(start))


def test_edits_of_one_text_commute_when_an_untouched_line_lies_between() -> None:
    base = Artifact.of({"p.md": "one\ntwo\nthree\n"})
    first = Change.between(base, Artifact.of({"p.md": "ONE\ntwo\nthree\n"}))
    last = Change.between(base, Artifact.of({"p.md": "one\ntwo\nTHREE\n"}))
    middle = Change.between(base, Artifact.of({"p.md": "one\nTWO\nthree\n"}))
    assert first.commutes(last)
    assert last.apply(first.apply(base)).get("p.md") == "ONE\ntwo\nTHREE\n"
    assert not first.commutes(middle)
    with pytest.raises(ArtifactError, match=r"p\.md has changed"):
        middle.apply(first.apply(base))


@given(FILES, FILES)
def test_the_diff_is_one_that_git_applies(a: dict[str, str], b: dict[str, str]) -> None:
    # Text with a bare carriage return or without content is a matter of git's own settings.
    before, after = Artifact.of(a), Artifact.of(b)
    diff = Change.between(before, after).diff()
    assert (diff == "") == (a == b)
    for path in Change.between(before, after).paths:
        assert f"diff --git a/{path} b/{path}\n" in diff


def test_git_applies_a_diff_with_new_deleted_and_changed_files(tmp_path: Path) -> None:
    before = Artifact.of({"a.md": "one\ntwo\n", "gone.md": "x\n", "end.md": "no newline"})
    after = Artifact.of({"a.md": "one\n2\n", "new.md": "n\n", "end.md": "no newline here"})
    for path, text in before.as_dict().items():
        (tmp_path / path).write_text(text)
    diff = Change.between(before, after).diff()
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=diff, text=True, check=True)
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == after.as_dict()


def test_an_edit_outside_the_surface_is_refused_by_its_path() -> None:
    change = Change.between(Artifact.of({}), Artifact.of({"agent/x.py": "1", "prompt.md": "p"}))
    Surface(("agent/*", "prompt.md")).check(change)
    with pytest.raises(ArtifactError, match=r"agent/x\.py, which is outside the surface"):
        Surface(("prompt.md",)).check(change)

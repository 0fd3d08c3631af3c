"""Artifacts: what they accept, and when two are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.core.artifact import Artifact
from evolith.errors import ArtifactError

NAMES = st.from_regex(r"[a-z]{1,6}(/[a-z]{1,6})?\.md", fullmatch=True)
FILES = st.dictionaries(NAMES, st.text(max_size=40), max_size=4)


@given(FILES)
def test_the_order_in_which_files_are_given_does_not_matter(files: dict[str, str]) -> None:
    backwards = dict(reversed(list(files.items())))
    assert Artifact.of(files) == Artifact.of(backwards)
    assert Artifact.of(files).hash == Artifact.of(backwards).hash


@given(FILES, FILES)
def test_artifacts_with_other_files_have_another_hash(a: dict[str, str], b: dict[str, str]) -> None:
    assert (Artifact.of(a).hash == Artifact.of(b).hash) == (a == b)


@given(FILES, NAMES, st.text(max_size=20))
def test_replacing_a_file_leaves_the_original_alone(
    files: dict[str, str], path: str, text: str
) -> None:
    artifact = Artifact.of(files)
    changed = artifact.replace(path, text)
    assert changed.get(path) == text
    assert artifact.as_dict() == files
    assert changed.replace(path, None).as_dict() == {k: v for k, v in files.items() if k != path}


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../up.md", "a/../b.md", "a//b.md", "./a.md", "a\\b.md", "a\nb", "x" * 300],
)
def test_a_path_that_could_leave_the_artifact_is_refused(path: str) -> None:
    with pytest.raises(ArtifactError, match="cannot be a path"):
        Artifact.of({path: "text"})


def test_a_path_given_twice_is_refused() -> None:
    with pytest.raises(ArtifactError, match="twice"):
        Artifact((("a.md", "1"), ("a.md", "2")))

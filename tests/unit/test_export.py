import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evolith.core.artifact import Artifact
from evolith.core.candidate import Candidate
from evolith.errors import UsageError
from evolith.export import as_json, as_patch, write_file, write_folder

SEED = Artifact.of({"prompt.md": "Answer.\n", "notes.md": "old\n"})
CHILD = Artifact.of({"prompt.md": "Answer in one word.\n", "skills/sum.md": "add\nup"})

PATHS = st.sampled_from(["prompt.md", "a b.md", "skills/ä.md", "skills/x/y.txt"])
TEXTS = st.text(alphabet="ab \t\n\r\f\u2028é", max_size=12)
ARTIFACTS = st.dictionaries(PATHS, TEXTS, min_size=1, max_size=4).map(Artifact.of)


def files_in(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode()
        for path in folder.rglob("*")
        if path.is_file()
    }


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(before=ARTIFACTS, after=ARTIFACTS)
def test_git_apply_makes_the_candidate_of_the_seed(
    tmp_path_factory: pytest.TempPathFactory, before: Artifact, after: Artifact
) -> None:
    if before == after:
        return
    folder = tmp_path_factory.mktemp("patch")
    write_folder(before, folder / "agent", force=False)
    write_file(folder / "change.patch", as_patch(before, after), force=False)
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "../change.patch"],
        cwd=folder / "agent",
        check=True,
        env={"PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": str(folder)},
    )
    assert files_in(folder / "agent") == after.as_dict()


def test_no_patch_is_made_where_nothing_differs() -> None:
    with pytest.raises(UsageError, match="the same as the seed"):
        as_patch(SEED, SEED)


def test_json_holds_the_files_and_where_they_come_from() -> None:
    candidate = Candidate("c1", CHILD, ("seed",), "i1", "reflect", "shorter answers")
    data = json.loads(as_json(candidate))
    assert data["files"] == CHILD.as_dict()
    assert (data["id"], data["parents"], data["operator"]) == ("c1", ["seed"], "reflect")


def test_a_new_folder_holds_exactly_the_artifact(tmp_path: Path) -> None:
    assert write_folder(CHILD, tmp_path / "deep" / "out", force=False) == ()
    assert files_in(tmp_path / "deep" / "out") == CHILD.as_dict()
    assert sorted(path.name for path in (tmp_path / "deep").iterdir()) == ["out"]


def test_an_empty_folder_is_filled_without_asking(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write_folder(CHILD, tmp_path / "out", force=False)
    assert files_in(tmp_path / "out") == CHILD.as_dict()


def test_a_folder_that_holds_something_is_left_alone_without_force(tmp_path: Path) -> None:
    write_folder(SEED, tmp_path / "out", force=False)
    with pytest.raises(UsageError, match="not empty") as refused:
        write_folder(CHILD, tmp_path / "out", force=False)
    assert "--force" in refused.value.fix
    assert files_in(tmp_path / "out") == SEED.as_dict()


def test_with_force_the_files_are_replaced_and_others_are_named(tmp_path: Path) -> None:
    write_folder(SEED, tmp_path / "out", force=False)
    assert write_folder(CHILD, tmp_path / "out", force=True) == ("notes.md",)
    assert files_in(tmp_path / "out") == {**CHILD.as_dict(), "notes.md": "old\n"}


def test_a_link_does_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "skills").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="symbolic link"):
        write_folder(CHILD, tmp_path / "out", force=True)
    assert files_in(tmp_path / "elsewhere") == {}


def test_a_folder_whose_name_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(UsageError, match="no folder"):
        write_folder(CHILD, tmp_path / "out", force=True)
    assert (tmp_path / "out").read_text() == "mine"


def test_an_existing_file_is_left_alone_without_force(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        write_file(target, "new", force=False)
    assert target.read_text() == "mine"
    write_file(target, "new", force=True)
    assert target.read_text() == "new"


def test_a_folder_is_no_target_for_a_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="folder"):
        write_file(tmp_path, "new", force=True)


def test_a_place_where_nothing_can_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written") as refused:
        write_file(tmp_path / "file" / "out.json", "new", force=False)
    assert str(tmp_path / "file" / "out.json") in refused.value.where


def test_text_that_utf8_cannot_hold_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        write_file(tmp_path / "out.json", "half \ud83d", force=False)
    assert list(tmp_path.iterdir()) == []

import os
from pathlib import Path

import pytest

from evolith.config.artifact import MAX_FILE, MAX_FILES, ArtifactConfig, load_artifact
from evolith.errors import ArtifactError, ConfigError


def test_without_a_word_about_it_a_plain_prompt_evolves(tmp_path: Path) -> None:
    assert list(load_artifact(ArtifactConfig(), tmp_path)) == ["prompt.md"]


def test_files_in_the_config_are_taken_as_they_are(tmp_path: Path) -> None:
    artifact = load_artifact(ArtifactConfig(files={"prompt.md": "Answer.\r\n"}), tmp_path)
    assert artifact.as_dict() == {"prompt.md": "Answer.\r\n"}


def test_a_folder_is_read_with_its_subfolders_byte_for_byte(tmp_path: Path) -> None:
    (tmp_path / "agent" / "skills").mkdir(parents=True)
    (tmp_path / "agent" / "prompt.md").write_bytes("Sag „ja“.\r\n".encode())
    (tmp_path / "agent" / "skills" / "a.md").write_bytes(b"")
    artifact = load_artifact(ArtifactConfig(path=Path("agent")), tmp_path)
    assert artifact.as_dict() == {"prompt.md": "Sag „ja“.\r\n", "skills/a.md": ""}


def test_hidden_files_and_bytecode_are_left_out(tmp_path: Path) -> None:
    for name in (".env", ".git/config", "__pycache__/a.pyc", "prompt.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"\xff" if name.endswith("pyc") else b"x")
    assert list(load_artifact(ArtifactConfig(path=Path()), tmp_path)) == ["prompt.md"]


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"\x89PNG\xff", "UTF-8"),
        ("hello".encode("utf-16"), "UTF-8"),
        (b"a\0b", "NUL"),
        (b"a" * (MAX_FILE + 1), "1,000,001 bytes"),
    ],
    ids=["binary", "utf-16", "nul", "too large"],
)
def test_a_file_that_is_no_text_is_refused_by_name(tmp_path: Path, raw: bytes, says: str) -> None:
    (tmp_path / "bad.md").write_bytes(raw)
    with pytest.raises(ArtifactError, match=says) as refused:
        load_artifact(ArtifactConfig(path=Path()), tmp_path)
    assert refused.value.where == str(tmp_path / "bad.md")


def test_a_symbolic_link_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "link.md").symlink_to("/etc/hostname")
    with pytest.raises(ArtifactError, match="symbolic link") as refused:
        load_artifact(ArtifactConfig(path=Path()), tmp_path)
    assert refused.value.where == str(tmp_path / "link.md")


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(ArtifactError, match="text files"):
        load_artifact(ArtifactConfig(path=Path()), tmp_path)


def test_a_folder_with_too_many_files_is_refused(tmp_path: Path) -> None:
    for number in range(MAX_FILES + 1):
        (tmp_path / f"{number}.md").touch()
    with pytest.raises(ArtifactError, match="more than 1000 files"):
        load_artifact(ArtifactConfig(path=Path()), tmp_path)


@pytest.mark.parametrize(("name", "says"), [("none", "does not exist"), ("file", "is no folder")])
def test_a_wrong_path_is_refused(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ArtifactError, match=says):
        load_artifact(ArtifactConfig(path=Path(name)), tmp_path)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="empty"):
        load_artifact(ArtifactConfig(path=Path()), tmp_path)


def test_a_folder_and_files_at_once_are_refused() -> None:
    with pytest.raises(ConfigError, match="both a folder and files"):
        ArtifactConfig(path=Path("agent"), files={"prompt.md": ""})


def test_an_empty_surface_is_refused() -> None:
    with pytest.raises(ConfigError, match="nothing could be edited"):
        ArtifactConfig(surface=())

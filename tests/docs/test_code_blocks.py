"""Every fenced block of the documentation does what it says.

The blocks of a page are tried in their order, in a copy of the example with a scripted model. One
with a title is a file of that name. One below a comment `not run: why` is checked and not run.
"""

import contextlib
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
import typer
from markdown_it import MarkdownIt

from evolith.cli.main import VERBS, build, main
from evolith.config import RunConfig, load_config
from evolith.core.rollout import Trajectory
from evolith.scorers.command import CommandConfig
from evolith.scorers.function import FunctionConfig
from evolith.session.setup import gather
from evolith.testing.recording_chat import RecordingChat

MODEL = re.compile(r'"(local|openai):[^"]*"')
"""A model that a test does not reach."""
SETTING_UP = ("cd", "source", "git", "export", "pip", "ollama", "sudo", "brew", "xcode-select")
"""Commands that are not ours to try."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, the file that it is, the comment above it, and its text."""

    language: str
    title: str
    note: str
    text: str

    @property
    def run(self) -> bool:
        return not self.note.startswith("not run: ")


def blocks_of(page: Path) -> list[Block]:
    found, note = [], ""
    for token in MarkdownIt("commonmark").parse(page.read_text("utf-8")):
        if token.type == "fence":
            language, _, rest = token.info.partition(" ")
            title = re.fullmatch(r'title="(.+)"', rest)
            found.append(Block(language, title[1] if title else "", note, token.content))
        comment = re.fullmatch(r"<!-- (.+) -->\s*", token.content, re.DOTALL)
        note = comment[1] if comment and token.type == "html_block" else ""
    return found


@pytest.fixture
def folder(tmp_path: Path, root: Path) -> Path:
    """The example with a scripted model, as a reader has it."""
    place = tmp_path / "example"
    shutil.copytree(root / "examples" / "lost-property", place)
    shutil.copy(root / "tests" / "docs" / "stand_in.py", place)
    config = place / "evolith.toml"
    config.write_text(with_stand_in(config.read_text("utf-8")), "utf-8")
    return place


def with_stand_in(text: str) -> str:
    return MODEL.sub('"function:stand_in:reply"', text)


def test_each_block_of_the_page_does_what_it_says(page: Path, folder: Path, root: Path) -> None:
    for block in blocks_of(page):
        TRY[block.language](block, folder, root)


def try_toml(block: Block, folder: Path, _: Path) -> None:
    tables = tomllib.loads(block.text)
    if block.title:
        (folder / block.title).write_text(with_stand_in(block.text), "utf-8")
        load_config(folder / block.title)
        return
    config = load_config(folder / "evolith.toml", tables)
    if block.run:
        materials = gather(config, models=False)
        if isinstance(config.scorer, FunctionConfig | CommandConfig):
            score = materials.scorer.score
            verdict = anyio.run(score, materials.tasks.train[0], Trajectory("?"), RecordingChat())
            assert 0 <= verdict.value <= 1


def try_console(block: Block, folder: Path, root: Path) -> None:
    expected = re.match(r"ends with code (\d+)", block.note)
    for line in block.text.splitlines():
        assert line.startswith("$ "), f"begin the command with a dollar sign: {line}"
        words = shlex.split(line[2:], comments=True)
        if words[0] == "evolith" and block.run:
            code, printed = evolith(folder, words[1:])
            assert code == (int(expected[1]) if expected else 0), printed
        else:
            check_command(words, root)


def evolith(folder: Path, words: list[str]) -> tuple[int, str]:
    printed = io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
    ):
        return main(words), printed.getvalue()


def check_bash(block: Block, _: Path, root: Path) -> None:
    for line in block.text.splitlines():
        for command in line.split("&&"):
            if words := shlex.split(command, comments=True):
                check_command(words, root)


def check_command(words: list[str], root: Path) -> None:
    """Check what a command names, without running it."""
    name = Path(words[0]).name
    if name == "make":
        targets = set(
            re.findall(r"^([a-z]+):", (root / "Makefile").read_text("utf-8"), re.MULTILINE)
        )
        assert set(words[1:]) <= targets
    elif name == "evolith":
        assert words[1] in VERBS
        command = typer.main.get_command(build(words[1:])).commands[words[1]]  # type: ignore[attr-defined]  # typer's group
        command.make_context(words[1], words[2:])
    elif name in ("pytest", "ruff"):
        paths = [word for word in words[1:] if "/" in word]
        assert all((root / path).exists() for path in paths)
    else:
        assert name in SETTING_UP, f"no test knows the command {name}"


def try_python(block: Block, folder: Path, _: Path) -> None:
    compile(block.text, block.title or "page", "exec")
    path = folder / (block.title or "page.py")
    path.write_text(block.text, "utf-8")
    if not block.title or "__main__" in block.text:
        done = subprocess.run(
            [sys.executable, path], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


def try_json(block: Block, folder: Path, _: Path) -> None:
    for line in block.text.splitlines():
        json.loads(line)
    if block.title:
        (folder / block.title).write_text(block.text, "utf-8")


def pass_over(*_: object) -> None:
    """Text is there to be read."""


TRY: dict[str, Callable[[Block, Path, Path], None]] = {
    "toml": try_toml,
    "console": try_console,
    "bash": check_bash,
    "python": try_python,
    "json": try_json,
    "text": pass_over,
    "diff": pass_over,
}


def test_the_tutorial_shows_the_config_of_the_example(root: Path) -> None:
    example = (root / "examples" / "lost-property" / "evolith.toml").read_text("utf-8")
    (shown,) = (b for b in blocks_of(root / "docs/tutorial/first-run.md") if b.language == "toml")
    assert RunConfig.model_validate(
        {**tomllib.loads(shown.text), "base": root}
    ) == RunConfig.model_validate({**tomllib.loads(example), "base": root})

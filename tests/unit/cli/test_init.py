import json
from pathlib import Path

import pytest

from evolith.cli.main import main
from evolith.config import load_artifact, load_config
from evolith.tasks.load import load_tasks


def test_what_init_writes_is_a_config_with_tasks_that_load(tmp_path: Path) -> None:
    assert main(["init", str(tmp_path / "new")]) == 0
    config = load_config(tmp_path / "new" / "evolith.toml")
    tasks = load_tasks(config.tasks, config.base)
    assert (len(tasks.train), len(tasks.val), len(tasks.test)) == (24, 16, 20)
    assert "one word" in (load_artifact(config.artifact, config.base).get("prompt.md") or "")


def test_the_sample_rows_are_distinct_and_evenly_spread(tmp_path: Path) -> None:
    main(["init", str(tmp_path)])
    lines = (tmp_path / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len({row["text"] for row in rows}) == 60
    answers = [row["answer"] for row in rows]
    assert {answers.count(answer) for answer in answers} == {15}


def test_nothing_is_overwritten_without_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "tasks.jsonl"
    mine.write_text("mine")
    assert main(["init", str(tmp_path)]) == 2
    assert f"{mine} would be overwritten" in " ".join(capsys.readouterr().err.split())
    assert mine.read_text() == "mine"
    assert not (tmp_path / "evolith.toml").exists()
    assert main(["init", str(tmp_path), "--force"]) == 0
    assert mine.read_text() != "mine"

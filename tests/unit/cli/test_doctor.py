from pathlib import Path

import pytest

from evolith.cli.main import main
from evolith.testing.project import write_project


def diagnosed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["doctor", *arguments])
    return code, capsys.readouterr().out


def test_a_machine_is_described_line_by_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = diagnosed(capsys)
    assert code == 0
    names = [line.split()[1] for line in out.splitlines()]
    assert names == ["evolith", "python", "sqlite", "disk", "local", "sandbox"]


def test_a_config_is_checked_without_a_call(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write_project(tmp_path / "p")
    world = tmp_path / "p" / "world.py"
    world.write_text(
        world.read_text(encoding="utf-8").replace("time.sleep(PAUSE)", "1 / 0"), encoding="utf-8"
    )
    code, out = diagnosed(capsys, str(tmp_path / "p" / "evolith.toml"))
    assert code == 0
    assert "10 train, 10 val, 10 test" in out
    assert "function:world:answer (task, judge, mutate, repair), free" in out
    assert "function:world:reflect (reflect), free" in out
    code, out = diagnosed(capsys, str(tmp_path / "p" / "evolith.toml"), "--call")
    assert code == 4
    assert "ZeroDivisionError" in out


def test_each_model_is_called_where_that_is_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write_project(tmp_path / "p")
    world = tmp_path / "p" / "world.py"
    world.write_text(
        "def answer(request): return 'yes'\ndef reflect(request): return 'yes'\n", encoding="utf-8"
    )
    code, out = diagnosed(capsys, str(tmp_path / "p" / "evolith.toml"), "--call")
    assert code == 0
    assert out.count("answers") == 2


def test_a_wrong_config_is_one_of_the_findings(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out = diagnosed(capsys, str(tmp_path / "none.toml"))
    assert code == 2
    assert "!!  config" in out
    assert "no such config file" in out

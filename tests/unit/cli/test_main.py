import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from evolith.cli.main import VERBS, main


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Run a command that fails; return its code and what it said."""
    code = main(arguments)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    return code, captured.err


def test_without_a_verb_the_help_lists_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert [verb for verb in VERBS if f"\n  {verb} " not in shown] == []
    assert "130 stopped at once" in " ".join(shown.split())


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(capsys: pytest.CaptureFixture[str], verb: str) -> None:
    assert main([verb, "--help"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"Usage: evolith {verb} ")
    assert max(map(len, shown.splitlines())) <= 80


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"evolith {version('evolith')}\n"


def test_a_misspelt_verb_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    code, said = refused(capsys, "reprot", "x")
    assert code == 2
    assert said == (
        "evolith: no such command 'reprot'.\n"
        "  Did you mean 'report', 'export'? Else see what it takes with: evolith --help.\n"
    )


def test_a_misspelt_option_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    code, said = refused(capsys, "run", "evolith.toml", "--token", "5")
    assert code == 2
    assert "evolith run: no such option: --token" in said
    assert "--tokens" in said


def test_a_missing_argument_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    code, said = refused(capsys, "run")
    assert code == 2
    assert said.startswith("evolith run: missing argument 'CONFIG'")


def test_a_wrong_value_of_an_option_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    code, said = refused(capsys, "run", "evolith.toml", "--tokens", "many")
    assert code == 2
    assert "'--tokens'" in said
    assert "valid integer" in said


def test_a_wrong_word_for_an_option_is_answered_with_the_right_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, said = refused(capsys, "run", "evolith.toml", "--schedule", "sinc")
    assert code == 2
    assert "'--schedule': 'sinc' is not one of 'sync', 'async'." in " ".join(said.split())


def test_a_wrong_config_has_the_code_of_wrong_usage(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, said = refused(capsys, "run", str(tmp_path / "none.toml"))
    assert code == 2
    assert (
        said.split()
        == (
            f"{tmp_path / 'none.toml'}: there is no such config file. Write one with: evolith init."
        ).split()
    )


def test_a_folder_without_a_run_has_the_code_of_wrong_usage(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for verb in ("status", "report", "show", "resume"):
        code, said = refused(capsys, verb, str(tmp_path / "none"))
        assert code == 2
        assert str(tmp_path / "none") in said


@pytest.mark.parametrize("option", ["--money", "--seconds"])
@pytest.mark.parametrize("amount", ["0", "-1", "nan", "inf", "much"])
def test_a_limit_is_a_number_above_zero(
    capsys: pytest.CaptureFixture[str], option: str, amount: str
) -> None:
    code, said = refused(capsys, "run", "evolith.toml", f"{option}={amount}")
    assert code == 2
    assert f"invalid value for '{option}': '{amount}' is not a number above 0." in " ".join(
        said.split()
    )


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_names_what_an_option_takes_in_words_of_the_user(
    capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    main([verb, "--help"])
    shown = capsys.readouterr().out
    assert "range>" not in shown
    for option in re.findall(r"--(?:money|seconds) [A-Z]+ [^[]*\[([^]]*)\]", shown):
        assert option == "x>0"


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m evolith --help | head -n 1; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_version_and_help_of_one_verb_do_not_load_the_others() -> None:
    code = (
        "import sys; from evolith.cli.main import main; main(['--version']); "
        "sys.exit(any(name in sys.modules for name in ('aiohttp', 'scipy', 'sqlalchemy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

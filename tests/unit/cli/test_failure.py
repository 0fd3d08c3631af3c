import errno

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from evolith.cli.failure import explain
from evolith.errors import ArchiveError, ConfigError


def test_an_error_of_ours_is_shown_as_it_is_with_its_code() -> None:
    error = ArchiveError("the disk is full", where="runs/a", fix="make room")
    assert explain(error) == ("runs/a: the disk is full.\n  Make room.", 3)


def test_an_error_inside_task_groups_is_shown_alone() -> None:
    inner = ExceptionGroup("", [ExceptionGroup("", [ConfigError("it is wrong")])])
    assert explain(inner) == ("it is wrong.", 2)


def test_a_group_with_a_fault_of_ours_is_a_fault() -> None:
    assert explain(ExceptionGroup("", [ConfigError("it is wrong"), ZeroDivisionError()]))[1] == 1


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("it broke", "it broke."),
        ("it broke.", "it broke."),
        ("it broke!", "it broke!"),
        ("it broke?\n", "it broke?"),
        ("it broke ...", "it broke ..."),
    ],
)
def test_a_sentence_has_one_full_stop(said: str, sentence: str) -> None:
    error = ConfigError(said, fix=said)
    assert explain(error)[0] == f"{sentence}\n  {sentence.capitalize()}"


WORDS = st.lists(st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=30))


@given(WORDS, WORDS)
def test_a_message_fits_into_80_columns_and_loses_nothing(what: list[str], fix: list[str]) -> None:
    error = ConfigError(" ".join(what), where="runs/a", fix=" ".join(fix))
    message, _ = explain(error)
    assert max(map(len, message.split("\n"))) <= 80
    assert message.split() == str(error).split()


def test_a_path_and_a_command_are_never_broken() -> None:
    place, command = "/deep" * 30, f"evolith resume '{'a folder ' * 12}' --rollouts 100"
    message, _ = explain(ConfigError("it is not there", where=place, fix=f"go on with: {command}"))
    lines = [line.strip() for line in message.split("\n")]
    assert f"{place}: it is not there".split()[0] in lines
    assert f"{command}." in lines


def test_ctrl_c_outside_a_run_has_the_code_of_the_shell() -> None:
    assert explain(KeyboardInterrupt()) == ("Stopped.", 130)
    assert explain(typer.Abort()) == ("Stopped.", 130)


def test_a_fault_asks_for_a_report_and_shows_no_traceback() -> None:
    message, code = explain(ZeroDivisionError("division by zero"))
    assert code == 1
    assert "ZeroDivisionError: division by zero" in message
    assert "report" in message
    assert "Traceback" not in message


def test_a_fault_shows_its_traceback_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EVOLITH_DEBUG", "1")
    with pytest.raises(ZeroDivisionError) as fault:
        _ = 1 / 0
    message, code = explain(fault.value)
    assert code == 1
    assert "Traceback" in message


def test_a_full_disk_is_no_fault_of_evolith() -> None:
    message, code = explain(OSError(errno.ENOSPC, "No space left on device", "runs/a"))
    assert code == 2
    assert message.startswith("runs/a: no space left on device.")

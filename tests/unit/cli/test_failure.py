import errno

import pytest
import typer

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

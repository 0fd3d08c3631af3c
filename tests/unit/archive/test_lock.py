from pathlib import Path

import pytest

from evolith.archive.lock import run_lock
from evolith.errors import ArchiveError


def test_a_second_holder_is_refused_until_the_first_lets_go(tmp_path: Path) -> None:
    with run_lock(tmp_path):
        with pytest.raises(ArchiveError, match="at work on this run"), run_lock(tmp_path):
            pass
        with pytest.raises(ArchiveError, match="at work on this run"), run_lock(tmp_path):
            pass  # the refusal has not freed the lock
    with run_lock(tmp_path):
        pass


def test_a_refusal_names_the_process_where_it_is_known(tmp_path: Path) -> None:
    with run_lock(tmp_path):
        (tmp_path / "run.lock").write_text("4711")
        with pytest.raises(ArchiveError, match=r"another process \(4711\) is at work"):
            run_lock(tmp_path).__enter__()
        (tmp_path / "run.lock").write_text("")
        with pytest.raises(ArchiveError, match="another process is at work"):
            run_lock(tmp_path).__enter__()


def test_a_lock_file_that_a_dead_process_left_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "run.lock").write_text("1")
    with run_lock(tmp_path):
        pass

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from evolith.archive.faults import teaching
from evolith.errors import ArchiveError


@pytest.mark.parametrize(
    ("number", "said", "fix"),
    [
        (errno.ENOSPC, "the disk is full", "Free some space"),
        (errno.EDQUOT, "the disk quota is used up", "raise the quota"),
        (errno.EFBIG, "a file may not grow", "raise the quota"),
        (errno.EROFS, "the run folder is read-only", "copy the folder to a place"),
        (errno.EACCES, "the run folder is read-only", "the right to write there"),
        (errno.ENOTDIR, "there is a file where the run folder should be", "Choose another place"),
        (errno.EIO, "the archive cannot be used: OSError", "Restore|restore"),
    ],
)
def test_an_error_of_the_disk_says_what_to_do(number: int, said: str, fix: str) -> None:
    with pytest.raises(ArchiveError, match=said) as caught, teaching(Path("runs/news")):
        raise OSError(number, os.strerror(number))
    assert caught.value.where == "runs/news"
    assert caught.match(fix)
    assert isinstance(caught.value.__cause__, OSError)


def test_a_database_that_another_program_holds_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as holder,
        closing(sqlite3.connect(path, timeout=0)) as other,
    ):
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(ArchiveError, match="another program holds") as caught, teaching(path):
            other.execute("CREATE TABLE t (a)")
    assert caught.match("Close it, then try again")


def test_an_error_that_a_library_wraps_is_told_alike(tmp_path: Path) -> None:
    try:
        sqlite3.connect(tmp_path / "no" / "such.db")
    except sqlite3.OperationalError as error:
        wrapped = OperationalError("SELECT 1", {}, error)
    with (
        pytest.raises(ArchiveError, match=r"archive\.db cannot be opened here"),
        teaching(tmp_path),
    ):
        raise wrapped


def test_an_error_that_teaches_already_is_left_as_it_is() -> None:
    error = ArchiveError("it is so", where="here", fix="do this")
    with pytest.raises(ArchiveError) as caught, teaching(Path("elsewhere")):
        raise error
    assert caught.value is error


def test_an_error_of_our_own_code_is_not_disguised() -> None:
    with pytest.raises(KeyError), teaching(Path()):
        raise KeyError("bug")

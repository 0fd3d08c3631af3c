from pathlib import Path

import pytest

from evolith.archive.tally import Tally, acknowledged, check_tail
from evolith.errors import ArchiveError


def test_the_last_number_noted_is_read_back(tmp_path: Path) -> None:
    tally = Tally(tmp_path)
    for number in (0, 7, 123_456, 12):
        tally.note(number)
        assert acknowledged(tmp_path) == number
    tally.close()
    Tally(tmp_path).close()
    assert acknowledged(tmp_path) == 12


def test_without_a_file_nothing_is_expected(tmp_path: Path) -> None:
    assert acknowledged(tmp_path) == 0
    (tmp_path / "archive.tally").touch()
    assert acknowledged(tmp_path) == 0


@pytest.mark.parametrize("text", ["many", "-1", "1 2", "\xb2"])
def test_a_file_without_a_number_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "archive.tally").write_text(text, encoding="latin-1")
    with pytest.raises(ArchiveError, match=r"archive\.tally holds no number"):
        acknowledged(tmp_path)


def test_fewer_writes_than_were_acknowledged_are_refused(tmp_path: Path) -> None:
    check_tail(tmp_path, 5, 5)
    check_tail(tmp_path, 5, 6)  # committed, but not acknowledged when the process died
    with pytest.raises(ArchiveError, match="the last 2 acknowledged writes are missing"):
        check_tail(tmp_path, 5, 3)

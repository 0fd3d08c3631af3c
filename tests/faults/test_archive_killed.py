"""A process that dies loses nothing that it was told is recorded, and what is lost is noticed."""

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from evolith.archive.sql import SqlStore
from evolith.archive.verify import verify
from evolith.core.events import Called
from evolith.core.ids import content_hash
from evolith.errors import ArchiveError
from evolith.testing.store_suite import CALL_BLOBS, call

PROGRAM = Path(__file__).with_name("append_until_killed.py")
KILLS = 8
APART = 1_000_000
"""Between the numbers of one process and those of the next."""


@contextmanager
def writing(run_dir: Path, life: int = 0) -> Iterator["subprocess.Popen[str]"]:
    """Start a process that writes; it is at work when the block begins, and dead after it."""
    command = [sys.executable, str(PROGRAM), str(run_dir), f"life{life}", str(life * APART)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def kill_after(process: "subprocess.Popen[str]", lines: int) -> list[list[str]]:
    """Kill the process once it has said so many lines; return all that it said until it died."""
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(lines)]
    os.kill(process.pid, signal.SIGKILL)
    said += process.stdout.readlines()
    return [line.split() for line in said if line.endswith("\n")]


def test_a_killed_process_loses_nothing_acknowledged(tmp_path: Path) -> None:
    run_dir, moments = tmp_path / "run", random.Random(0)
    acknowledged: list[list[str]] = []
    for life in range(KILLS):
        with writing(run_dir, life) as process:
            acknowledged += kill_after(process, moments.randrange(1, 200))
        assert process.returncode == -signal.SIGKILL
    store = SqlStore.open(run_dir)
    events = {entry.event.key: entry.event for entry in store.entries()}
    pending = {mark.call for mark in store.pending()}
    for kind, *rest in acknowledged:
        if kind == "send":
            assert rest[0] in pending
            continue
        number, digest = rest
        event = events[call(int(number)).event.key]
        assert isinstance(event, Called)
        assert event.message.endswith(digest)
        assert content_hash(store.blob(digest)) == digest
    store.close()
    assert len(acknowledged) > KILLS
    assert verify(run_dir) == []


@pytest.fixture(scope="module")
def dead(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose process was killed, so that its last events are in `archive.db-wal` only."""
    run_dir = tmp_path_factory.mktemp("dead") / "run"
    with writing(run_dir) as process:
        kill_after(process, 100)
    assert (run_dir / "archive.db-wal").stat().st_size > 0
    return run_dir


@pytest.fixture
def killed(dead: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return shutil.copytree(dead, tmp_path / "run")


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_a_cut_log_file_is_noticed(killed: Path, share: float) -> None:
    log = killed / "archive.db-wal"
    os.truncate(log, int(log.stat().st_size * share))
    assert_tail_missed(killed)


def test_a_log_file_that_was_left_out_of_a_copy_is_noticed(killed: Path) -> None:
    (killed / "archive.db-wal").unlink()
    (killed / "archive.db-shm").unlink()
    assert_tail_missed(killed)


def test_a_flipped_byte_in_the_log_file_is_noticed(killed: Path) -> None:
    log = killed / "archive.db-wal"
    raw = bytearray(log.read_bytes())
    raw[len(raw) // 2] ^= 1
    log.write_bytes(raw)
    assert_tail_missed(killed)


def assert_tail_missed(run_dir: Path) -> None:
    [problem] = verify(run_dir)
    assert "acknowledged writes are missing" in problem.what
    assert "archive.db-wal" in problem.what
    for opening in (SqlStore.open, SqlStore.read):
        with pytest.raises(ArchiveError, match="acknowledged writes are missing"):
            opening(run_dir)


def test_one_may_go_on_without_what_a_cut_log_file_lost(killed: Path) -> None:
    log = killed / "archive.db-wal"
    os.truncate(log, log.stat().st_size // 2)
    [problem] = verify(killed)
    assert "delete archive.tally to go on without them" in problem.fix
    (killed / "archive.tally").unlink()
    store = SqlStore.open(killed)
    anyio.run(store.append, [call(APART)], CALL_BLOBS)
    store.close()
    assert verify(killed) == []


def test_a_run_may_be_read_and_checked_while_it_is_written(tmp_path: Path) -> None:
    with writing(tmp_path / "run") as process:
        assert process.stdout is not None
        for _ in range(5):
            said = [process.stdout.readline().split() for _ in range(20)]
            store = SqlStore.read(tmp_path / "run")
            for number in [int(rest[0]) for kind, *rest in said if kind == "append"]:
                assert store.find(call(number).event.key) is not None
            assert list(store.entries())
            store.close()
            assert verify(tmp_path / "run") == []
        kill_after(process, 1)


def test_a_second_process_is_refused_until_the_first_has_died(tmp_path: Path) -> None:
    with writing(tmp_path / "run") as process:
        with pytest.raises(ArchiveError) as caught:
            SqlStore.open(tmp_path / "run")
        assert f"another process ({process.pid}) is at work on this run" in str(caught.value)
        with pytest.raises(ArchiveError, match="another process"):
            SqlStore.create(tmp_path / "run")
        kill_after(process, 1)
    SqlStore.open(tmp_path / "run").close()

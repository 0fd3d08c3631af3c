"""A disk that is full, limited or read-only: a clear error, and nothing recorded is lost."""

import os
import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from evolith.archive.sql import SqlStore
from evolith.archive.verify import verify
from evolith.core.ids import content_hash
from evolith.errors import ArchiveError
from evolith.testing.store_suite import CALL_BLOBS, call, pending

NOBODY = 65534
"""The user that has no rights, on Linux and macOS."""


@dataclass(frozen=True)
class Disk:
    """A place where only little can be written until it is given room."""

    path: Path
    give_room: Callable[[], object]


def text(number: int) -> str:
    """Return a text that cannot be compressed to almost nothing."""
    return "".join(content_hash(f"{number} {part}") for part in range(80))


async def fill(store: SqlStore) -> tuple[list[int], list[ArchiveError]]:
    """Append from several tasks until each has failed; return what was acknowledged."""
    acknowledged: list[int] = []
    errors: list[ArchiveError] = []

    async def work(worker: int) -> None:
        for number in range(worker, 10_000, 4):
            try:
                await store.append([call(number)], [text(number), *CALL_BLOBS])
            except ArchiveError as error:
                errors.append(error)
                return
            acknowledged.append(number)

    async with anyio.create_task_group() as group:
        for worker in range(4):
            group.start_soon(work, worker)
    return acknowledged, errors


def check_a_full_disk(disk: Disk, expected: str) -> None:
    run_dir = disk.path / "run"
    store = SqlStore.create(run_dir)
    acknowledged, errors = anyio.run(fill, store)
    assert acknowledged
    assert len(errors) == 4
    for error in errors:
        assert re.search(expected, str(error))
        assert "Free some space" in str(error)
        assert str(run_dir) in str(error)
    with pytest.raises(ArchiveError, match=expected):  # later ones too, though it would fit now
        anyio.run(store.send, pending("call/small"))
    store.close()

    disk.give_room()
    assert verify(run_dir) == []
    again = SqlStore.open(run_dir)
    assert all(again.find(call(number).event.key) == call(number) for number in acknowledged)
    assert all(again.blob(content_hash(text(number))) for number in acknowledged)
    anyio.run(again.append, [call(99_999)])
    again.close()
    assert verify(run_dir) == []


@contextmanager
def limited_files(path: Path) -> Iterator[Disk]:
    """Let no file of this process grow over some size."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
    try:
        yield Disk(path, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def small_file_system(path: Path) -> Iterator[Disk | None]:
    """Mount a file system in memory that is soon full; None where one may not mount."""
    if not mount("size=600k", path):
        yield None
        return
    try:
        yield Disk(path, lambda: mount("remount,size=8m", path))
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)


def mount(options: str, path: Path) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)]
    return bool(shutil.which("mount")) and subprocess.run(command, check=False).returncode == 0


def test_a_limit_on_files_stops_the_run_and_loses_nothing(tmp_path: Path) -> None:
    with limited_files(tmp_path) as disk:
        check_a_full_disk(disk, "disk refuses to read or write: it is full, over its quota")


def test_a_full_disk_stops_the_run_and_loses_nothing(tmp_path: Path) -> None:
    with small_file_system(tmp_path) as disk:
        if disk is not None:
            check_a_full_disk(disk, "disk (is full|refuses to read or write: it is full)")
            return
    with limited_files(tmp_path) as disk:
        check_a_full_disk(disk, "disk refuses to read or write: it is full, over its quota")


def test_a_run_that_finds_a_full_disk_at_its_start_can_be_begun_again(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, hard))
    try:
        with pytest.raises(ArchiveError, match="it is full, over its quota"):
            SqlStore.create(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    store = SqlStore.create(tmp_path)
    anyio.run(store.append, [call()], CALL_BLOBS)
    store.close()
    assert verify(tmp_path) == []


@contextmanager
def read_only(run_dir: Path) -> Iterator[None]:
    """Take the right to write from everyone, and from root by becoming nobody."""
    for path in run_dir.iterdir():
        path.chmod(0o444)
    run_dir.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        run_dir.chmod(0o755)


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder that every user can reach; those of pytest are closed to others."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_read_only_folder_is_refused_for_writing(reachable: Path) -> None:
    SqlStore.create(reachable).close()
    with read_only(reachable):
        for opening in (SqlStore.open, SqlStore.create):
            with pytest.raises(ArchiveError, match="the run folder is read-only") as caught:
                opening(reachable)
            assert "Give this user the right to write there" in str(caught.value)
    with read_only(reachable), pytest.raises(ArchiveError, match="the run folder is read-only"):
        SqlStore.create(reachable / "new")


def test_a_closed_run_in_a_read_only_folder_can_be_read_and_checked(reachable: Path) -> None:
    store = SqlStore.create(reachable)
    anyio.run(store.append, [call()], CALL_BLOBS)
    store.close()
    SqlStore.read(reachable).close()
    with read_only(reachable):
        reading = SqlStore.read(reachable)
        assert list(reading.entries()) == [call()]
        reading.close()
        assert verify(reachable) == []


def test_a_database_that_turns_read_only_stops_the_run(reachable: Path) -> None:
    store = SqlStore.create(reachable)
    anyio.run(store.append, [call(1)], CALL_BLOBS)
    store.close()
    (reachable / "run.lock").chmod(0o666)
    (reachable / "archive.db").chmod(0o444)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        with pytest.raises(ArchiveError, match="read-only"):
            SqlStore.open(reachable)
    finally:
        if root:
            os.seteuid(0)
    assert verify(reachable) == []

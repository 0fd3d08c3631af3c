"""What ends a search is told as what it is, also where work overlaps."""

import sys
from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest

from evolith.archive.reading import reading
from evolith.archive.state import Entry
from evolith.archive.verify import verify
from evolith.config import load_config
from evolith.errors import ArchiveError, ProviderError
from evolith.session import resume, start
from evolith.testing.memory import MemoryStore
from evolith.testing.project import write_project
from tests.sim.toy import Toy

REFUSES = """
import pathlib

from evolith.errors import ProviderError

paid, right = pathlib.Path(__file__).parent / "paid", reflect
calls = []


def reflect(request):
    calls.append(request)
    if len(calls) > 2 and not paid.exists():
        raise ProviderError("the account is empty", fix="fill it up")
    return right(request)
"""
SCHEDULES = ("sync", "async")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    sys.modules.pop("mine", None)
    write_project(tmp_path / "project")
    return tmp_path / "project"


def begin(project: Path, world: str, schedule: str) -> None:
    (project / "mine.py").write_text((project / "world.py").read_text() + world)
    models = {"models.task": "function:mine:answer", "models.reflect": "function:mine:reflect"}
    config = load_config(project / "evolith.toml", {**models, "run.schedule": schedule})
    anyio.run(start, config, project / "run")


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_provider_that_refuses_in_the_middle_ends_the_run_and_it_can_be_resumed(
    schedule: str, project: Path
) -> None:
    with pytest.raises(ProviderError, match="the account is empty"):
        begin(project, REFUSES, schedule)
    (project / "paid").touch()
    assert anyio.run(resume, project / "run").reason == "finished"
    with reading(project / "run") as archive:
        assert len(archive.state.sessions) == 2
        assert set(archive.state.selected) == set(archive.state.decided) - {"seed"}
    assert verify(project / "run") == []


class Filling(MemoryStore):
    """A store whose disk is full after some events."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    async def append(self, entries: Sequence[Entry], blobs: Sequence[str] = ()) -> None:
        self.room -= len(entries)
        if self.room < 0:
            raise ArchiveError("the disk is full")
        await super().append(entries, blobs)


@pytest.mark.parametrize("kind", ["gepa", "flash"])
@pytest.mark.parametrize("room", [60, 150, 153, 156, 159])
def test_a_disk_that_fills_up_ends_the_run_with_that_and_it_goes_on_with_more_room(
    room: int, kind: str
) -> None:
    half = {"rollout": 0.5, "evaluate": 0.5} if kind == "gepa" else {}
    settings = {
        "run.schedule": "async",
        "run.speculation": half,
        "algorithm": {"kind": kind, "proposals": 30},
    }
    toy = Toy(settings, store=Filling(room))
    with pytest.raises(ArchiveError, match="the disk is full"):
        toy.run()
    store = toy.store
    assert isinstance(store, Filling)
    store.room = 10**6
    outcome = toy.run()
    assert outcome is not None
    assert outcome.reason == "finished"
    assert toy.problems() == []
    assert set(toy.state.selected) == set(toy.state.decided) - {"seed"}
    assert toy.replayed() == (0, toy.store.hash())

"""Sessions that are killed while a server takes money and gives nothing pay once for each try."""

import importlib.util
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest

from evolith.archive.archive import Archive
from evolith.archive.sql import SqlStore
from evolith.errors import BudgetExceeded
from evolith.testing.fault_server import FaultServer, serving, silence, status

PROGRAM = Path(__file__).with_name("call_until_killed.py")


def killed_at(server: FaultServer, run_dir: Path, requests: int, session: int) -> None:
    """Run a session, and kill it when the server has had so many requests in all."""
    command = [sys.executable, str(PROGRAM), str(run_dir), server.url, str(session)]
    with subprocess.Popen(command) as process:
        while len(server.received) < requests:
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    assert process.returncode == -signal.SIGKILL


def test_killed_sessions_count_every_try_of_those_before(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location(PROGRAM.stem, PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    broken, hangs = status(500), silence()
    with serving(broken, broken, hangs, broken, hangs, broken) as server:
        for session, requests in enumerate((3, 5), start=1):
            killed_at(server, tmp_path, requests, session)
        # The last session is stopped by the budget: every try counts against it.
        with pytest.raises(BudgetExceeded):
            anyio.run(program.main, tmp_path, server.url, 3)
        sent = len(server.received)
    store = SqlStore.open(tmp_path)
    archive = Archive(store, time.time)
    assert store.pending() == []
    worst = archive.state.total.money / sent
    assert archive.state.total.calls == sent
    assert worst * sent <= program.MONEY < worst * (sent + 1)
    again = program.gateway(store, "http://127.0.0.1:9/v1", 4)
    anyio.run(again.charge_lost)
    assert again.archive.state.total == archive.state.total
    store.close()

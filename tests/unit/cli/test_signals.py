import os
import signal
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from evolith.cli.signals import heed_signals
from evolith.engine.stop import Stop


def after(*signals: signal.Signals) -> tuple[Stop, list[str]]:
    """Send signals to this process one after another; return what came of them."""
    said: list[str] = []

    async def work() -> Stop:
        stop = Stop()
        send, receive = anyio.create_memory_object_stream[str](9)
        async with anyio.create_task_group() as group, send, receive:
            await group.start(heed_signals, stop, Path("runs/a-1"), send.send_nowait)
            for sent in signals:
                os.kill(os.getpid(), sent)
                said.append(await receive.receive())
            await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
        return stop

    return anyio.run(work), said


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_drains_and_says_how_to_go_on(sent: signal.Signals) -> None:
    stop, said = after(sent)
    assert (stop.draining, stop.aborted) == (True, False)
    first, second = said[0].split("\n")
    assert first == "Finishing the calls under way; Ctrl-C again stops at once."
    assert second == "Resume with: evolith resume runs/a-1"


def test_a_second_signal_stops_at_once() -> None:
    stop, said = after(signal.SIGINT, signal.SIGINT)
    assert stop.aborted
    assert said[1] == "Stopping at once."


def test_afterwards_signals_have_their_usual_effect() -> None:
    after(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)

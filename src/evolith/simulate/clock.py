"""A clock that stands still while there is work, and jumps to the next timer when there is none.

On it, hours of waiting for models take seconds, and take them the same way each time.
"""

import asyncio
from collections.abc import Awaitable, Callable
from selectors import SelectorKey, SelectSelector
from typing import TypeVar, TypeVarTuple

import anyio

from evolith.errors import EvolithError

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


def run_virtual(function: Callable[[*Arguments], Awaitable[T]], *arguments: *Arguments) -> T:
    """Run an async function to its end on a virtual clock that begins at 0.

    `anyio.sleep` and `anyio.current_time` go by that clock. Threads and sockets do not: nothing
    that runs on it may wait for one.

    Raises:
        EvolithError: every task waits for another one, so that no time will ever pass.
    """
    return anyio.run(function, *arguments, backend_options={"loop_factory": VirtualLoop})


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is made of the waits that it leaves out."""

    def __init__(self) -> None:
        self._waits = _Waits()
        super().__init__(self._waits)

    def time(self) -> float:
        """Return the virtual seconds since the loop was made."""
        return self._waits.left_out


class _Waits(SelectSelector):
    """Stands where a loop waits, for sockets or for its next timer."""

    left_out = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """Return at once, and take the time for passed. None means that there is no timer."""
        ready = super().select(0)
        if ready:
            return ready
        if timeout is None:
            raise EvolithError(
                "every task of the simulation waits and no timer is left, so it would never end",
                fix="look for tasks that wait for each other, or for a thread, which has no "
                "virtual time",
            )
        self.left_out += max(0.0, timeout)
        return []

"""Holds back everybody who uses one provider key, for as long as the provider asks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from evolith.errors import ModelFailure, TransientFailure

LONGEST_WAIT = 120.0
"""Seconds that a provider may ask for. For a longer wait nobody is held: the call has failed."""


class Gate:
    """Lets calls through, except while the provider has asked everybody to wait.

    After the wait one call goes first. Only when it comes back and was not asked to wait again do
    the others follow, so that a server that is still busy gets one more call and not all of them.
    """

    def __init__(self) -> None:
        self._open = True
        self._opens_at = 0.0
        self._first_is_out = False
        self._first_is_back = anyio.Event()

    @asynccontextmanager
    async def passing(self) -> AsyncIterator[None]:
        """Wait until a call may go, and stay for the length of it."""
        goes_first = await self._wait()
        asked_to_wait = True  # also after a call that never came back
        try:
            yield
            asked_to_wait = False
        except ModelFailure as failure:
            seconds = failure.retry_after if isinstance(failure, TransientFailure) else None
            asked_to_wait = seconds is not None
            self._close_for(seconds)
            raise
        finally:
            if goes_first:
                self._come_back(asked_to_wait=asked_to_wait)

    async def _wait(self) -> bool:
        """Wait; say whether this call is the one that goes first."""
        while not self._open:
            if self._first_is_out:
                await self._first_is_back.wait()
            elif (left := self._opens_at - anyio.current_time()) > 0:
                await anyio.sleep(left)
            else:
                self._first_is_out = True
                return True
        return False

    def _close_for(self, seconds: float | None) -> None:
        if seconds is not None and seconds <= LONGEST_WAIT:
            self._open = False
            self._opens_at = max(self._opens_at, anyio.current_time() + seconds)

    def _come_back(self, *, asked_to_wait: bool) -> None:
        # Another call, sent before the wait, may have been asked to wait in the meantime.
        self._open = not asked_to_wait and self._opens_at <= anyio.current_time()
        self._first_is_out = False
        self._first_is_back.set()
        self._first_is_back = anyio.Event()

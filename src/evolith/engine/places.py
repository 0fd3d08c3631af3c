"""Places for rollouts: so many at once, and urgent askers before all others."""

from collections import deque

import anyio


class Places:
    """A limit of work at once with two classes of askers, each served in the order of asking.

    Args:
        total: Most holders at once.
    """

    def __init__(self, total: int) -> None:
        self._free = total
        self._urgent: deque[anyio.Event] = deque()
        self._usual: deque[anyio.Event] = deque()

    async def acquire(self, *, urgent: bool = False) -> None:
        """Take a place, once one is free; every one taken must be released."""
        if self._free:
            self._free -= 1
            return
        turn = anyio.Event()
        line = self._urgent if urgent else self._usual
        line.append(turn)
        try:
            await turn.wait()
        except BaseException:
            if turn.is_set():  # a place was handed over while the asker was being cancelled
                self.release()
            else:
                line.remove(turn)
            raise

    def release(self) -> None:
        """Give a place back: to the next asker, if there is one."""
        line = self._urgent or self._usual
        if line:
            line.popleft().set()
        else:
            self._free += 1

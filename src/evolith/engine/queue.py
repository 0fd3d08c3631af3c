"""A bounded queue with two classes: short work is not stuck behind long work."""

from collections import deque
from typing import Generic, TypeVar

import anyio

T = TypeVar("T")


class Queue(Generic[T]):
    """Items wait here in two lines; an urgent one goes before all that are not.

    Args:
        capacity: Items that may wait; `put` waits while there are as many.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._urgent: deque[T] = deque()
        self._usual: deque[T] = deque()
        self._closed = False
        self._room = anyio.Condition()
        self._filled = anyio.Condition()

    def __len__(self) -> int:
        return len(self._urgent) + len(self._usual)

    async def put(self, item: T, *, urgent: bool) -> None:
        """Add an item, once there is room."""
        async with self._room:
            while len(self) >= self._capacity:
                await self._room.wait()
            (self._urgent if urgent else self._usual).append(item)
        async with self._filled:
            self._filled.notify()

    async def get(self) -> T | None:
        """Return the next item, or None once the queue is closed and empty."""
        async with self._filled:
            while not len(self):
                if self._closed:
                    return None
                await self._filled.wait()
            item = (self._urgent or self._usual).popleft()
        async with self._room:
            self._room.notify()
        return item

    async def close(self) -> None:
        """Say that nothing will be added any more."""
        async with self._filled:
            self._closed = True
            self._filled.notify_all()

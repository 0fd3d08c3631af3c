"""Several awaits side by side, with their own exceptions instead of groups of them."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import anyio

T = TypeVar("T")


async def gather(calls: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
    """Return what each call returns, in order; all are run to their end.

    Raises:
        Exception: the first that one of them raised, as itself.
    """
    results: dict[int, T] = {}
    errors: list[Exception] = []

    async def run(place: int, call: Callable[[], Awaitable[T]]) -> None:
        try:
            results[place] = await call()
        except Exception as error:  # noqa: BLE001 - raised below, outside the group
            errors.append(error)

    async with anyio.create_task_group() as group:
        for place, call in enumerate(calls):
            group.start_soon(run, place, call)
    if errors:
        raise errors[0]
    return [results[place] for place in range(len(calls))]

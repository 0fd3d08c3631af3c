"""Folds a run for a report: quickly, since a run has hundreds of thousands of calls and rollouts.

No checksum is compared, and no event is made of those two kinds; `verify` looks at every byte.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from sys import intern
from typing import Any

from pydantic_core import from_json

from evolith.archive.charges import CallRow
from evolith.archive.state import Entry, RolloutRow, State
from evolith.core.events import EVENTS
from evolith.core.messages import Role
from evolith.core.task import Split
from evolith.errors import ArchiveError, Boundary

Columns = tuple[bytes, float, float]
"""Body, time and duration of an event."""

_ROLES = {role.value: role for role in Role}
_SPLITS = {split.value: split for split in Split}


def quick_state(pages: Iterable[Sequence[Columns]]) -> State:
    """Fold the events of a run.

    Args:
        pages: The events in the order of writing, some at a time.

    Raises:
        ArchiveError: one is damaged.
    """
    state = State()
    for page in pages:
        try:
            for event, (_, at, seconds) in zip(_events(page), page, strict=True):
                _apply(state, event, float(at), float(seconds))
        except (ValueError, TypeError, KeyError) as error:
            raise ArchiveError(
                "an event was changed after it was written",
                fix="see with `evolith verify` which one, and restore the run folder from a copy",
            ) from error
    return state


def _events(page: Sequence[Columns]) -> Sequence[Mapping[str, Any]]:
    bodies = [body for body, _, _ in page]
    try:
        events: Sequence[Mapping[str, Any]] = from_json(b"[" + b",".join(bodies) + b"]")
    except ValueError:  # half a character, which only Python's own parser lets pass
        return [json.loads(body.decode("utf-8", "surrogatepass")) for body in bodies]
    return events


def _apply(state: State, event: Mapping[str, Any], at: float, seconds: float) -> None:
    kind = event["kind"]
    if kind == "call":
        call = CallRow(
            event["slot"],
            _ROLES[event["role"]],
            event["model"],
            event["failure"],
            event["tokens_in"],
            event["tokens_out"],
            Decimal(event["money"]),
            event["estimated"],
        )
        state.add_call(call, at, seconds)
    elif kind == "rollout":
        boundary = event["boundary"]
        row = RolloutRow(
            intern(event["candidate"]),
            intern(event["task"]),
            _SPLITS[event["split"]],
            event["attempt"],
            event["value"],
            event["passed"],
            None if boundary is None else Boundary(boundary),
            event["tokens_in"],
            event["tokens_out"],
            Decimal(event["money"]),
            event["calls"],
            seconds,
        )
        state.add_rollout(row, at)
    else:
        state.apply(Entry(EVENTS.validate_python(event), at, seconds))

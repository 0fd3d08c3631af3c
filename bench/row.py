"""A row of results: one run of one system, as a line of JSON."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from evolith.simulate.world import Kind


class Row(BaseModel):
    """What came of a run. Times are seconds since its beginning."""

    model_config = ConfigDict(frozen=True)
    system: str
    world: Kind
    seed: int
    clock: Literal["real", "virtual"] = "virtual"
    target: float
    cap_s: float
    hit_s: float | None
    """Until some candidate that the system accepted truly reached the target."""
    hit_calls: int | None
    pick_s: float | None
    """Until the candidate that the system would itself return did so; there the run ends."""
    pick_calls: int | None
    pick_tokens: int | None
    asked_s: float | None = None
    """The same as `hit_s`, as the server saw it."""
    end_s: float
    end_calls: int
    end_tokens: int
    end_true: float
    """What the returned candidate is worth."""
    end_own: float
    """What the system measured for it."""
    best_true: float
    accepted: int
    proposals: int
    in_flight: float = 0.0
    """Calls that were worked on at once, on average."""
    curve: tuple[tuple[float, int, float, float], ...] = ()
    """Seconds, calls, own and true score of the system's choice, whenever that changed."""


def rounded(
    curve: Sequence[tuple[float, int, float, float]],
) -> tuple[tuple[float, int, float, float], ...]:
    """Return a curve with as many digits as a reader needs."""
    return tuple(
        (round(s, 2), calls, round(own, 3), round(true, 3)) for s, calls, own, true in curve
    )


def save(row: Row, file: Path) -> None:
    """Add a row to a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        lines.write(f"{row.model_dump_json()}\n")


def read(file: Path) -> list[Row]:
    """Return the rows of a file. Of two runs of the same, the later one counts."""
    rows = [Row.model_validate_json(line) for line in file.read_text("utf-8").splitlines()]
    return list({(row.system, row.world, row.seed): row for row in rows}.values())

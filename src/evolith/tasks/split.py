"""Divides tasks into train, val and test, and makes sure that the three stay apart."""

from collections.abc import Mapping, Sequence

from evolith.core.ids import rng_for
from evolith.core.task import Split, as_text
from evolith.errors import TasksError, did_you_mean
from evolith.tasks.config import SplitSizes, SplitValues
from evolith.tasks.mapping import Placed

Parts = Mapping[Split, Sequence[Placed]]
"""The rows of each split."""
LISTED = 5
"""Copies that a message lists beside the first."""


def split_by_size(tasks: Sequence[Placed], sizes: SplitSizes, seed: int) -> Parts:
    """Draw each split at random. Rows with the same input always fall into the same split.

    Args:
        tasks: All rows of the file, in its order.
        sizes: Rows or shares of each split.
        seed: Seed of the draw.

    Raises:
        TasksError: there are too few rows.
    """
    room = _rows_of_each(tasks, sizes)
    groups: dict[str, list[Placed]] = {}
    for placed in tasks:
        groups.setdefault(_content(placed), []).append(placed)
    order = list(groups.values())
    rng_for(seed, "split").shuffle(order)
    order.sort(key=len, reverse=True)  # stable; single rows come last and fill every gap
    parts: dict[Split, list[Placed]] = {split: [] for split in Split}
    for group in order:
        free = (split for split in Split if len(parts[split]) + len(group) <= room[split])
        split = next(free, None)
        if split is not None:
            parts[split] += group
    short = next((split for split in Split if len(parts[split]) < room[split]), None)
    if short is not None:
        raise TasksError(
            f"the {short} split cannot get {room[short]} rows, since too many rows share an input "
            "and must not be divided between splits",
            where=tasks[0].row.file,
            fix="remove the copies, ask for fewer rows, or add a field to tasks.input that tells "
            "them apart",
        )
    return parts


def split_by_field(tasks: Sequence[Placed], field: str, values: SplitValues) -> Parts:
    """Put each row into the split that one of its fields names.

    Args:
        tasks: All rows of the file, in its order.
        field: The field.
        values: What its values mean.

    Raises:
        TasksError: a row lacks the field or has another value; or train or val stays empty.
    """
    meaning = {
        **dict.fromkeys(values.train, Split.TRAIN),
        **dict.fromkeys(values.val, Split.VAL),
        **dict.fromkeys(values.test, Split.TEST),
    }
    parts: dict[Split, list[Placed]] = {split: [] for split in Split}
    for placed in tasks:
        row = placed.row
        if field not in row.values:
            raise TasksError(
                f"there is no field {field}", where=row.place, fix=did_you_mean(field, row.values)
            )
        value = as_text(row.values[field])
        if value not in meaning:
            raise TasksError(
                f"the field {field} says {value!r}, which is the name of no split",
                where=row.place,
                fix=f"{did_you_mean(value, meaning)}; or add it to tasks.split_values",
            )
        parts[meaning[value]].append(placed)
    for split in (Split.TRAIN, Split.VAL):
        if not parts[split]:
            raise TasksError(
                f"no row belongs to the {split} split",
                where=tasks[0].row.file,
                fix=f"correct the field {field}, or set tasks.split_values.{split}",
            )
    return parts


def check_apart(parts: Parts) -> None:
    """Refuse splits that overlap: what was learnt from must not be what is measured on.

    Raises:
        TasksError: two rows of different splits have the same input, up to white space.
    """
    first: dict[str, tuple[Split, Placed]] = {}
    copies: dict[tuple[Split, Split], list[tuple[Placed, Placed]]] = {}
    for later in Split:
        for copy in parts[later]:
            split, placed = first.setdefault(_content(copy), (later, copy))
            if split is not later:
                copies.setdefault((later, split), []).append((copy, placed))
    for pair in ((Split.TEST, Split.TRAIN), (Split.TEST, Split.VAL), (Split.VAL, Split.TRAIN)):
        if pair in copies:
            raise _overlap(*pair, copies[pair])


def _overlap(later: Split, split: Split, copies: Sequence[tuple[Placed, Placed]]) -> TasksError:
    (copy, placed), *others = copies
    more = ", ".join(other.row.place for other, _ in others[:LISTED])
    dots = ", ..." if len(others) > LISTED else ""
    return TasksError(
        f"the {later} split overlaps {split}: the same input is in {placed.row.place}"
        + (f"; so it is with {len(others)} more ({more}{dots})" if others else ""),
        where=copy.row.place,
        fix="remove the copies, or add a field to tasks.input that tells them apart",
    )


def _content(placed: Placed) -> str:
    return " ".join(placed.task.input.split())


def _rows_of_each(tasks: Sequence[Placed], sizes: SplitSizes) -> dict[Split, int]:
    wanted = {Split.TRAIN: sizes.train, Split.VAL: sizes.val, Split.TEST: sizes.test}
    if not sizes.in_shares:
        total = sum(int(size) for size in wanted.values())
        if total > len(tasks):
            raise TasksError(
                f"the split asks for {total} rows, and there are {len(tasks)}",
                where=tasks[0].row.file,
                fix="ask for fewer in tasks.split, or give shares below 1",
            )
        return {split: int(size) for split, size in wanted.items()}
    rows: dict[Split, int] = {}
    upto = 0.0
    for split, share in wanted.items():
        begin = round(len(tasks) * upto)
        upto += share
        rows[split] = round(len(tasks) * upto) - begin
        if share and not rows[split]:
            raise TasksError(
                f"{len(tasks)} rows are too few: a share of {share:g} gives the {split} split none",
                where=tasks[0].row.file,
                fix="add rows, or give whole numbers in tasks.split",
            )
    return rows

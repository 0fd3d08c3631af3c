"""CSV: a line of names, then rows with a value for each name."""

import csv
import io
from collections.abc import Iterator

from evolith.core.task import Value
from evolith.errors import TasksError

OTHER_DELIMITERS = ";\t|"


def csv_rows(text: str, file: str) -> Iterator[tuple[int, dict[str, Value]]]:
    """Yield line number and fields of each row; all values are text.

    Args:
        text: The content of the file.
        file: Its name, for messages.

    Raises:
        TasksError: the header is unusable, a row has more or fewer values than it, a quote is
            misplaced, or there are no rows.
    """
    records = _records(text, file)
    line, header = next(records)
    _check_header(header, f"{file}:{line}")
    count = 0
    for line, record in records:
        if len(record) != len(header):
            raise TasksError(
                f"this row has {len(record)} values, the header {len(header)} names",
                where=f"{file}:{line}",
                fix='put values that hold a comma or a quote between double quotes ("")',
            )
        count += 1
        yield line, dict(zip(header, record, strict=True))
    if not count:
        raise TasksError(
            "the file has a header and no rows", where=file, fix="write one task on each line"
        )


def _records(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line where a record begins, and its values; blank lines are passed over."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    begin = 1
    try:
        for record in reader:
            if record:
                yield begin, record
            begin = reader.line_num + 1
    except csv.Error as error:
        raise TasksError(
            f"this is no CSV ({error})",
            where=f"{file}:{begin}",
            fix='double the quotes inside a quoted value (""), or write the tasks as JSONL',
        ) from None


def _check_header(header: list[str], place: str) -> None:
    delimiter = next((d for d in OTHER_DELIMITERS if d in header[0]), None)
    if len(header) == 1 and delimiter is not None:
        raise TasksError(
            f"the values are separated by {delimiter!r}, not by commas",
            where=place,
            fix="save the file with commas, or write the tasks as JSONL",
        )
    for position, name in enumerate(header, start=1):
        if not name.strip():
            raise TasksError(
                f"column {position} has no name", where=place, fix="name it, or remove it"
            )
        if name in header[: position - 1]:
            raise TasksError(f"two columns are named {name}", where=place, fix="rename one of them")

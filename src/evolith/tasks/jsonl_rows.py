"""JSONL: one JSON object on each line."""

import json
import math
from collections.abc import Iterator
from typing import cast

from evolith.core.task import Value
from evolith.errors import TasksError


def jsonl_rows(text: str, file: str) -> Iterator[tuple[int, dict[str, Value]]]:
    """Yield line number and fields of each line that is not blank.

    Args:
        text: The content of the file.
        file: Its name, for messages.

    Raises:
        TasksError: a line holds no JSON object, or one with a value that JSON cannot hold.
    """
    # Not splitlines: U+2028 and its like may stand inside a JSON text.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, _fields(line, f"{file}:{number}")


def _fields(line: str, place: str) -> dict[str, Value]:
    try:
        value = json.loads(line, parse_constant=_refuse, parse_float=_finite)
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        if line.lstrip().startswith("["):
            raise _array(place) from None
        raise TasksError(
            f"this line is no JSON ({error.msg}, column {error.colno})",
            where=place,
            fix="write one JSON object on each line, with names and text in double quotes",
        ) from None
    except UnicodeEncodeError:
        raise TasksError(
            "there is half of a surrogate pair, which is no character",
            where=place,
            fix="write the character itself in place of its \\u escapes",
        ) from None
    except (ValueError, RecursionError) as error:
        raise TasksError(
            f"this line holds what JSON cannot ({error})",
            where=place,
            fix="replace the value by a number, a text or null",
        ) from None
    if isinstance(value, list):
        raise _array(place)
    if not isinstance(value, dict):
        raise TasksError(
            "this line is no JSON object",
            where=place,
            fix='write objects, such as {"input": "2 + 2", "answer": "4"}',
        )
    return cast("dict[str, Value]", value)


def _array(place: str) -> TasksError:
    return TasksError(
        "this is a JSON array, not one object on each line",
        where=place,
        fix="convert it with: python3 -c 'import json,sys;"
        " [print(json.dumps(row)) for row in json.load(sys.stdin)]' < tasks.json > tasks.jsonl",
    )


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits} is too large")
    return number

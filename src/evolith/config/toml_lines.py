"""Where in a TOML file each key stands, for error messages."""

import tomllib
from collections.abc import Iterator

KeyPath = tuple[str | int, ...]
"""Keys from the top of the file downwards; a whole number is a place in an array."""


def lines_of(text: str) -> dict[KeyPath, int]:
    """Return the line, counted from 1, on which the statement that sets each key begins.

    `tomllib` tells no lines. So the text is read as far as each of its lines in turn: a key belongs
    to the first stretch that can be read and has it.
    """
    found: dict[KeyPath, int] = {}
    lines = text.replace("\r\n", "\n").split("\n")
    start = 1
    for end in range(1, len(lines) + 1):
        try:
            table = tomllib.loads("\n".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue  # in the middle of a value of several lines
        for path in _paths(table, ()):
            found.setdefault(path, start)
        start = end + 1
    return found


def _paths(value: object, above: KeyPath) -> Iterator[KeyPath]:
    items: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    for key, below in items:
        yield (*above, key)
        yield from _paths(below, (*above, key))

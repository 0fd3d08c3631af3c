"""A config file as it was read, for messages that say where something stands."""

import json
import re
from dataclasses import dataclass
from functools import cached_property

from evolith.config.toml_lines import KeyPath, lines_of


@dataclass(frozen=True)
class Source:
    """A config as it was read.

    Args:
        file: Its path as the user gave it.
        text: What it says.
        data: Its tables, with what the caller set.
        given: Keys that the caller set, and not the file.
    """

    file: str
    text: str
    data: dict[str, object]
    given: frozenset[KeyPath]

    @cached_property
    def lines(self) -> dict[KeyPath, int]:
        """The line of each key."""
        return lines_of(self.text)

    def where(self, path: KeyPath) -> str:
        """Return file, line and key of `path`, or of the nearest table above it."""
        name = dotted(path)
        if path in self.given:
            return name
        line = self.line(path)
        place = f"{self.file}:{line}" if line else self.file
        return f"{place}: {name}" if name else place

    def line(self, path: KeyPath) -> int:
        """Return the line of `path` or of the nearest table above it; 0 where there is none."""
        above = (path[:length] for length in range(len(path), 0, -1))
        return next((self.lines[part] for part in above if part in self.lines), 0)


def dotted(path: KeyPath) -> str:
    """Write a path as TOML does: `tasks.split`, `models."my model"`, `scorer.parts[1]`."""
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            bare = key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key)
            text += f".{bare}" if text else bare
    return text


def item(data: object, key: str | int) -> object:
    """Return what stands at `key` of a table or an array, or None."""
    if isinstance(data, dict):
        return data.get(key)
    if isinstance(data, list) and isinstance(key, int) and key < len(data):
        return data[key]
    return None

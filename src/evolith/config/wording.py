"""What pydantic says of a wrong value, in the words of someone who writes TOML."""

import json
import re
from difflib import get_close_matches
from typing import NamedTuple

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from evolith.config.known_keys import home_of, known_keys
from evolith.config.source import dotted
from evolith.config.toml_lines import KeyPath
from evolith.errors import did_you_mean

SHOWN = 60
"""Characters of a wrong value that a message repeats."""
SECRET = re.compile(r"key|secret|password|credential", re.IGNORECASE)
"""Names of keys whose values are never repeated."""
TYPES = {
    "bool": "true or false",
    "decimal": "a number",
    "dict": "a table",
    "float": "a number",
    "int": "a whole number",
    "list": "a list",
    "model": "a table",
    "path": "a path in quotes",
    "string": "text in quotes",
    "tuple": "a list",
}
"""What pydantic's names of types are called in a TOML file."""
BOUNDS = {
    "greater_than": ("gt", "above"),
    "greater_than_equal": ("ge", "of at least"),
    "less_than": ("lt", "below"),
    "less_than_equal": ("le", "of at most"),
}
"""For an error of a bound: where pydantic keeps the bound, and what it is called."""


class Said(NamedTuple):
    """What happened, and what to do."""

    message: str
    fix: str


def explain(
    detail: ErrorDetails, path: KeyPath, root: type[BaseModel], data: dict[str, object]
) -> Said:
    """Say what is wrong at `path` and what to do.

    Args:
        detail: What pydantic found.
        path: The key as the file has it.
        root: The settings class of the whole file.
        data: The file as read.
    """
    kind = detail["type"]
    if kind == "extra_forbidden":
        return _unknown(path, root, data)
    if kind == "missing":
        purpose = known_keys(root, data, path[:-1]).get(str(path[-1]), "")
        return Said("this key is missing", f"add it: {_lowered(purpose)}" if purpose else "add it")
    return _wrong_value(detail, shown(path, detail["input"]))


def wrong_type(name: str, given: str) -> Said:
    """Say that `given` is not of the type that pydantic calls `name`."""
    return Said(f"{given} is not {TYPES[name]}", f"give {TYPES[name]}")


def shown(path: KeyPath, value: object) -> str:
    """Write a value as a message repeats it: shortened, and never where it may be a secret."""
    if path and SECRET.search(str(path[-1])):
        return "the value"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def _wrong_value(detail: ErrorDetails, given: str) -> Said:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "union_tag_invalid":
        return _choice(json.dumps(context["tag"]), str(context["expected_tags"]))
    if kind in {"literal_error", "enum"}:
        return _choice(given, str(context["expected"]))
    if kind in BOUNDS:
        key, word = BOUNDS[kind]
        return Said(f"{given} is out of range", f"give a number {word} {context[key]}")
    name, _, what = kind.partition("_")
    if name in TYPES and what in {"type", "parsing", "from_float", "attributes_type"}:
        return wrong_type(name, given)
    return _in_its_own_words(detail, given)


def _unknown(path: KeyPath, root: type[BaseModel], data: dict[str, object]) -> Said:
    table, key = path[:-1], str(path[-1])
    message = f"there is no such key in {f'[{dotted(table)}]' if table else 'a config'}"
    known = known_keys(root, data, table)
    home = home_of(root, data, key)
    if home is not None and not get_close_matches(key, known, n=1):
        return Said(message, f"move it to {f'[{home}]' if home else 'the top of the file'}")
    return Said(message, did_you_mean(key, known))


def _choice(given: str, expected: str) -> Said:
    allowed = re.findall(r"'([^']*)'", expected)
    return Said(f"{given} is not allowed", did_you_mean(given.strip('"'), allowed))


def _in_its_own_words(detail: ErrorDetails, given: str) -> Said:
    if detail["type"] in {"value_error", "assertion_error"}:  # raised by a validator of ours
        what, _, fix = detail["msg"].partition(", ")[2].partition("; ")
        return Said(_lowered(what), fix) if fix else Said(f"{given} does not fit", _lowered(what))
    return Said(f"{given} does not fit", f"the value {detail['msg'].removeprefix('Input ')}")


def _lowered(text: str) -> str:
    text = text.strip().rstrip(".")
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]

"""Reads a config file. Whatever is wrong with it is said with file, line, cause and cure."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from evolith.config.problems import Problems, problems_of
from evolith.config.quoted import quoted_values
from evolith.config.settings import RunConfig
from evolith.config.source import Source, dotted
from evolith.config.toml_lines import KeyPath
from evolith.errors import ConfigError


def load_config(path: Path, overrides: Mapping[str, object] | None = None) -> RunConfig:
    """Read and check a config file.

    Args:
        path: The TOML file.
        overrides: Values that take the place of the file's, by dotted key: `budget.tokens`.

    Raises:
        ConfigError: the file cannot be read, is no TOML, or has a wrong key or value.
    """
    text = _read(path)
    data = _parse(path, text)
    given = frozenset(_override(data, key, value) for key, value in (overrides or {}).items())
    source = Source(str(path), text, data, given)
    if "base" in data:  # the loader's own field
        raise ConfigError("there is no such key", where=source.where(("base",)), fix="remove it")
    try:
        config = RunConfig.model_validate({**data, "base": path.parent.resolve()})
    except ValidationError as error:
        raise problems_of(error, RunConfig, source) from None
    except ConfigError as error:
        raise _located(error, source) from None
    if problems := quoted_values(config, source):
        raise Problems(problems)
    return config


def _read(path: Path) -> str:
    where = str(path)
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(
            "there is no such config file", where=where, fix="write one with: evolith init"
        ) from None
    except IsADirectoryError:
        raise ConfigError(
            "this is a folder, not a config file", where=where, fix=f"try {path / 'evolith.toml'}"
        ) from None
    except OSError as error:
        raise ConfigError(
            f"the config cannot be read ({error.strerror})", where=where, fix="check the path"
        ) from None
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ConfigError(
            f"byte {error.start} is not UTF-8, which TOML requires",
            where=f"{where}:{line}",
            fix="save the file as UTF-8",
        ) from None
    if not text.strip():
        raise ConfigError(
            "the config file is empty", where=where, fix="write one with: evolith init"
        )
    return text


def _parse(path: Path, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
        where = str(path)
        if place and place[1]:
            where = f"{path}:{place[1]}:{place[2]}"
        elif place:
            where = f"{path}:{text.count(chr(10)) + 1}"
        what = message[: place.start()] if place else message
        raise ConfigError(
            f"this is no TOML: {what[:1].lower()}{what[1:]}",
            where=where,
            fix='correct the line; text stands in quotes, as in name = "news"',
        ) from None


def _override(data: dict[str, object], key: str, value: object) -> KeyPath:
    """Set a value, unless the file has something else than a table on the way to it."""
    path = key.split(".")
    for name in path[:-1]:
        below = data.setdefault(name, {})
        if not isinstance(below, dict):
            break  # the check of the whole will say so
        data = below
    else:
        data[path[-1]] = value
    return tuple(path)


def _located(error: ConfigError, source: Source) -> ConfigError:
    """Add file and line to an error that a part of the config has raised with its key."""
    places = {dotted(path): path for path in source.lines}
    path = places.get(error.where, tuple(error.where.split(".")) if error.where else ())
    return ConfigError(error.message, where=source.where(path), fix=error.fix)

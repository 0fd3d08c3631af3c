"""Refuses values that were silently converted: "4" to 4, true to 1, 1 to true."""

from collections.abc import Iterator

from pydantic import BaseModel

from evolith.config.source import Source
from evolith.config.toml_lines import KeyPath
from evolith.config.wording import shown, wrong_type
from evolith.errors import ConfigError


def quoted_values(config: BaseModel, source: Source) -> list[ConfigError]:
    """Return an error for each value that pydantic has made a number or a truth of.

    Its strict mode would refuse too much: a list that fills a tuple, text that names a path.

    Args:
        config: The settings that `source` has filled.
        source: The file.
    """
    problems = []
    for path, given, name in _converted(source.data, config, ()):
        said = wrong_type(name, shown(path, given))
        problems.append(ConfigError(said.message, where=source.where(path), fix=said.fix))
    return problems


def _converted(
    given: object, value: object, path: KeyPath
) -> Iterator[tuple[KeyPath, object, str]]:
    """Yield each converted value with its path and the name of the type it was made."""
    if isinstance(given, dict):
        for key, below in given.items():
            inner = value.get(key) if isinstance(value, dict) else getattr(value, key, None)
            yield from _converted(below, inner, (*path, key))
    elif isinstance(given, list) and isinstance(value, list | tuple):
        for place, (below, inner) in enumerate(zip(given, value, strict=False)):
            yield from _converted(below, inner, (*path, place))
    elif isinstance(given, str) or isinstance(given, bool) is not isinstance(value, bool):
        kind = next((t for t in (bool, int, float) if isinstance(value, t)), None)
        if kind is not None:
            yield path, given, kind.__name__

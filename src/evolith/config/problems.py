"""Everything that is wrong with a config, from what pydantic says of it."""

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from evolith.config.source import Source, item
from evolith.config.toml_lines import KeyPath
from evolith.config.wording import explain
from evolith.errors import ConfigError


class Problems(ConfigError):  # noqa: N818 - several errors in one
    """Everything that is wrong with a config, in the order of the file.

    Args:
        problems: At least one.
    """

    def __init__(self, problems: list[ConfigError]) -> None:
        first = problems[0]
        super().__init__(first.message, where=first.where, fix=first.fix)
        self.problems = tuple(problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


def problems_of(error: ValidationError, root: type[BaseModel], source: Source) -> Problems:
    """Explain every error of `error`, the first in the file first.

    Args:
        error: What pydantic found.
        root: The settings class that was filled.
        source: The file that it was filled from.
    """
    found: dict[KeyPath, tuple[int, ConfigError]] = {}
    for detail in _meant(error.errors(include_url=False), source.data):
        path = _path(detail, source.data)
        said = explain(detail, path, root, source.data)
        problem = ConfigError(said.message, where=source.where(path), fix=said.fix)
        found.setdefault(path, (source.line(path), problem))
    return Problems([problem for _, problem in sorted(found.values(), key=lambda pair: pair[0])])


def _path(detail: ErrorDetails, data: object) -> KeyPath:
    """Return the keys as the file has them: pydantic adds the names of alternatives in between."""
    path: list[str | int] = []
    last = len(detail["loc"]) - 1
    for place, key in enumerate(detail["loc"]):
        if item(data, key) is not None:
            path.append(key)
            data = item(data, key)
        elif place == last and detail["type"] == "missing":
            path.append(key)
    return tuple(path)


def _meant(details: list[ErrorDetails], data: object) -> list[ErrorDetails]:
    """Leave out what concerns an alternative that the user did not mean.

    Of a value that may be text or a table, pydantic reports what is wrong with each. Where one
    alternative failed further inside, the user meant that one.
    """
    paths = [_path(detail, data) for detail in details]
    return [
        detail
        for detail, path in zip(details, paths, strict=True)
        if not any(len(other) > len(path) and other[: len(path)] == path for other in paths)
    ]

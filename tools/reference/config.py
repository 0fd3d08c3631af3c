"""The reference of the config file, from the settings classes."""

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from evolith.config import RunConfig
from tools.reference import types
from tools.reference.markdown import NOTE, prose, table

SET_BY_THE_LOADER = {"base"}
HEAD = ("key", "type", "default", "meaning")
INTRODUCTION = """\
A config is a TOML file, `evolith.toml` by custom. Only `[tasks]` and `models.task` must be given.
Paths are relative to the file. An unknown key is refused, with the nearest known one."""


def page() -> str:
    """Return the text of the page."""
    top = [name for name, field in _fields(RunConfig) if not list(types.models(field.annotation))]
    parts = [
        "# Config",
        NOTE,
        INTRODUCTION,
        "## At the top of the file",
        _table(RunConfig, top),
    ]
    described: set[type[BaseModel]] = set()
    for name, field in _fields(RunConfig):
        if name not in top:
            parts += _section(name, field, "##", described)
    return "\n\n".join(parts) + "\n"


def _section(
    path: str, field: FieldInfo, marks: str, described: set[type[BaseModel]]
) -> Iterator[str]:
    """Yield the heading and text of a table, of its alternatives, and of the tables below it."""
    models = [model for model in types.models(field.annotation) if model not in described]
    if not models:
        return
    described.update(models)
    yield f"{marks} {path}"
    if len(models) > 1:
        yield prose(field.description)
    for model in models:
        if len(models) > 1:
            yield f'{marks}# {path}, kind = "{model.model_fields["kind"].default}"'
        yield prose(model.__doc__)
        yield _table(model, _own_first(model))
    for model in models:
        for name, inner in _fields(model):
            yield from _section(f"{path}.{name}", inner, f"{marks}#", described)


def _table(model: type[BaseModel], names: list[str]) -> str:
    rows = [_row(name, model.model_fields[name]) for name in names]
    return table(HEAD, rows)


def _own_first(model: type[BaseModel]) -> list[str]:
    """Return the names of the fields: the kind, those of the class itself, inherited ones."""
    names = [name for name, _ in _fields(model)]
    return sorted(names, key=lambda name: (name != "kind", name not in model.__annotations__))


def _row(name: str, field: FieldInfo) -> tuple[str, str, str, str]:
    if not field.description:
        raise ValueError(f"the setting {name} has no docstring")
    limits = types.bounds(field)
    kind = types.words(field.annotation)
    return f"`{name}`", f"{kind}, {limits}" if limits else kind, _default(field), field.description


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "must be given"
    value = field.get_default(call_default_factory=True)
    text = "" if value in (None, PydanticUndefined) else _toml(value)
    return f"`{text}`" if text not in ("", "{}") else ""


def _toml(value: Any) -> str:
    """Write a default as TOML does."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json", exclude_defaults=True, exclude={"kind"})
    if isinstance(value, dict):
        pairs = ", ".join(f"{key} = {_toml(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False, default=str)


def _fields(model: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    return [(n, f) for n, f in model.model_fields.items() if n not in SET_BY_THE_LOADER]

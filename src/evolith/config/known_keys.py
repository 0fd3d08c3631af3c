"""Which keys the config knows at a place, read from the settings classes themselves."""

from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from evolith.config.source import item
from evolith.config.toml_lines import KeyPath

HIDDEN = frozenset({"base"})
"""Fields of the settings that no file may set."""


def known_keys(root: type[BaseModel], data: object, path: KeyPath) -> dict[str, str]:
    """Return the keys that the table at `path` may have, with what each is for.

    Args:
        root: The settings class of the whole file.
        data: The file as read; its `kind` keys choose among alternatives.
        path: The table; empty for the top of the file.
    """
    annotations: list[object] = [root]
    for key in path:
        annotations = [below for a in annotations for below in _below(a, data, key)]
        data = item(data, key)
    keys: dict[str, str] = {}
    for model in _narrowed([m for a in annotations for m in _models(a)], data):
        for name, field in model.model_fields.items():
            if name not in HIDDEN:
                keys.setdefault(name, " ".join((field.description or "").split()))
    return keys


def home_of(root: type[BaseModel], data: object, key: str) -> str | None:
    """Return the name of the table that knows `key`, "" for the top of the file, or None."""
    if key in known_keys(root, data, ()):
        return ""
    return next((t for t in root.model_fields if key in known_keys(root, data, (t,))), None)


def _parts(annotation: Any) -> tuple[object, ...]:
    """Take apart unions and annotations; the parts of an alternative stay together."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _parts(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return tuple(part for member in get_args(annotation) for part in _parts(member))
    return (annotation,)


def _models(annotation: object) -> list[type[BaseModel]]:
    return [p for p in _parts(annotation) if isinstance(p, type) and issubclass(p, BaseModel)]


def _narrowed(models: list[type[BaseModel]], data: object) -> list[type[BaseModel]]:
    kind = item(data, "kind")
    fitting = [m for m in models if "kind" in m.model_fields and _has_kind(m, kind)]
    return fitting or models


def _has_kind(model: type[BaseModel], kind: object) -> bool:
    annotation = model.model_fields["kind"].annotation
    return get_origin(annotation) is Literal and kind in get_args(annotation)


def _below(annotation: object, data: object, key: str | int) -> Iterator[object]:
    for model in _narrowed(_models(annotation), data):
        if key in model.model_fields:
            yield model.model_fields[str(key)].annotation

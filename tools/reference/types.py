"""What a type of a setting is called in the reference: words for someone who writes TOML."""

import builtins
import types
import typing
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

NAMES: dict[object, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    Decimal: "number",
    bool: "true or false",
    Path: "path",
    types.NoneType: "",
}


def words(annotation: Any) -> str:
    """Return a type in words, such as `list of text`."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    match origin:
        case typing.Annotated:
            return words(arguments[0])
        case typing.Literal:
            return " or ".join(f'`"{value}"`' for value in arguments)
        case typing.Union | types.UnionType:
            return " or ".join(dict.fromkeys(filter(None, map(words, arguments))))
        case builtins.tuple | builtins.list:
            return f"list of {words(arguments[0])}"
        case builtins.dict:
            return f"table of {words(arguments[1])}"
    is_table = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return "table" if is_table else NAMES.get(annotation, "any value")


def bounds(field: FieldInfo) -> str:
    """Return the bounds of a number in words, such as `at least 1`."""
    found = []
    for limit in field.metadata:
        for name, word in (("gt", "above"), ("ge", "at least"), ("lt", "below"), ("le", "at most")):
            value = getattr(limit, name, None)
            if value is not None:
                found.append(f"{word} {value}")
    return ", ".join(found)


def models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the settings classes in a type, alternatives in their order."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    else:
        for part in get_args(annotation):
            if get_origin(annotation) is not Literal:
                yield from models(part)

"""JSON in an output: alone, or in a fence."""

import json
import re

FENCE = re.compile(r"^[ \t]*```[\w-]*[ \t]*\n(.*?)^[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)
"""A fenced block; its content is the group."""


def read_json(text: str) -> object:
    """Return the JSON that a text holds: the whole of it, or its last fenced block.

    Raises:
        ValueError: there is none.
    """
    fenced = FENCE.findall(text)
    try:
        return json.loads(fenced[-1] if fenced else text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")

"""The reference of events, from their classes."""

import inspect
import re
from typing import get_args

from evolith.core.event import Event
from evolith.core.events import SCHEMA_VERSION, AnyEvent
from tools.reference.exit_codes import attribute_docstrings
from tools.reference.markdown import NOTE, prose, table

INTRODUCTION = """\
A run's archive is a log of these events, at present in version {version} of their shape. Everything
else is computed from them. *Content* events describe results and make up the archive hash;
*session* events describe stretches of work."""
MODULE = re.compile(r"(?:[a-z_]+\.)+")
"""What stands before a name in the text of a type."""


def page() -> str:
    """Return the text of the page."""
    union, *_ = get_args(AnyEvent)
    classes: list[type[Event]] = list(get_args(union))
    parts = [
        "# Events",
        NOTE,
        INTRODUCTION.format(version=SCHEMA_VERSION),
    ]
    for title, session in (("Content events", False), ("Session events", True)):
        parts.append(f"## {title}")
        for event in classes:
            if event.session == session:
                parts += _event(event)
    return "\n\n".join(parts) + "\n"


def _event(event: type[Event]) -> list[str]:
    meanings = attribute_docstrings(event)
    rows = [
        (f"`{name}`", _type(field.annotation), meanings.get(name, ""))
        for name, field in event.model_fields.items()
        if name != "kind"
    ]
    kind = event.model_fields["kind"].default
    once = prose(inspect.getdoc(event.key))
    head = f"{prose(event.__doc__)} Recorded once: {once[:1].lower()}{once[1:]}"
    return [f"### {kind}", head, table(("field", "type", "meaning"), rows)]


def _type(annotation: object) -> str:
    if isinstance(annotation, type) and not get_args(annotation):
        return f"`{annotation.__name__}`"
    return f"`{MODULE.sub('', str(annotation))}`"

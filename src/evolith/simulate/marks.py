"""The marks that make a prompt good or bad in a simulated world, found in any text.

A task holds a key, which stands for the one rule that its answer needs. A prompt is worth the marks
in it: `RULE-07`; `SCOPE-0703`, which keeps rule 7 out of the way of rule 3; `NOTE-1f00c3a9`, which
is about the one task with that key.
"""

import re

MARK = r"(?:RULE-\d\d|SCOPE-\d{4}|NOTE-[0-9a-f]{8})"
MARKS = re.compile(MARK)
KEY = re.compile(r"key=([0-9a-f]{8})")


def marks_in(text: str) -> frozenset[str]:
    """Return the marks of a text."""
    return frozenset(MARKS.findall(text))


def key_in(text: str) -> str | None:
    """Return the key of the last task in a text, or None."""
    keys: list[str] = KEY.findall(text)
    return keys[-1] if keys else None


def rule(number: int) -> str:
    """Return the mark of a rule."""
    return f"RULE-{number:02d}"


def scope(broad: str, narrow: str) -> str:
    """Return the mark that keeps the rule `broad` out of the way of the rule `narrow`."""
    return f"SCOPE-{broad[-2:]}{narrow[-2:]}"


def note(key: str) -> str:
    """Return the mark of a remark about the task with that key."""
    return f"NOTE-{key}"


def is_note(mark: str) -> bool:
    """Say whether a mark is a remark about one task."""
    return mark.startswith("NOTE-")

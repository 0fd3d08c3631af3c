"""Pieces of Markdown that several pages need."""

from collections.abc import Iterable, Sequence
from inspect import cleandoc

NOTE = "<!-- Made from the code by `make docs`; edit the docstrings there. -->"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; what could end a cell is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def prose(docstring: str | None) -> str:
    """Return the text of a docstring without its indentation and its Google-style sections."""
    text = cleandoc(docstring or "")
    for section in ("Args:", "Returns:", "Raises:"):
        text = text.partition(f"\n{section}\n")[0]
    return text.strip()


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")

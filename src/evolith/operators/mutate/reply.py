"""Reads the text that a model was asked to put between triple backticks."""

import re

from evolith.operators.protocols import NothingProposed

FENCE = re.compile(r"^[ \t]*```[^\n`]*\n(.*)^[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)


def fenced(reply: str) -> str:
    """Return what stands between the first and the last fence, so that inner fences survive.

    Raises:
        NothingProposed: there is no complete pair of fences, or nothing between them.
    """
    found = FENCE.search(reply.replace("\r\n", "\n"))
    if found is None:
        raise NothingProposed("no_fence", "the reply holds no text between triple backticks")
    text = found[1].strip()
    if not text:
        raise NothingProposed("empty", "the reply holds an empty text")
    return text

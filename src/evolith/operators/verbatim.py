"""Finds train tasks that a model copied into a prompt instead of learning from them."""

from collections.abc import Iterable

WORDS = 10
"""A run of this many words of a task, not there before, is a copy at length."""


def copied_run(text: str, before: str, inputs: Iterable[str]) -> str | None:
    """Return a run of `WORDS` words that stands in `text` and in a task but not in `before`."""
    fresh = _runs(text) - _runs(before)
    if not fresh:
        return None
    for given in inputs:
        found = fresh & _runs(given)
        if found:
            return " ".join(min(found))
    return None


def _runs(text: str) -> set[tuple[str, ...]]:
    words = text.split()
    return {tuple(words[start : start + WORDS]) for start in range(len(words) - WORDS + 1)}

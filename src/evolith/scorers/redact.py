"""Takes hidden answers out of text that the user's code or a judge wrote.

An answer that is one number is found by its value. Any other is found by its letters and digits,
whatever stands between them, from the beginning of a word to the end of one.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from decimal import Decimal

from evolith.core.task import Task, as_text
from evolith.scorers.numerals import number, numerals
from evolith.scorers.reading import Reading, readings, words_of

MARK = "[hidden answer]"
"""What stands where an answer stood."""
LONG = 4
"""Words from which more than half of an answer, in a row, give it away."""
RUN = 5
"""So many words of an answer in a row give it away in any case."""
DISTINCTIVE = 4
"""Characters from which a text is found at the beginning of longer words, and from which hidden
values other than the answer count; shorter ones, such as a level of 2, are no secret."""
INSIDE = re.compile("[^\\W_]['\N{RIGHT SINGLE QUOTATION MARK}]")
"""What stands before the end of a word such as `it's`, which is no word of its own."""
Span = tuple[int, int]


def redact(text: str, task: Task) -> str:
    """Return `text` without the answer and the hidden values of a task.

    Args:
        text: Feedback or an error message.
        task: With its answer.
    """
    secrets = [next(readings(secret)).text.strip() for secret in _secrets(task)]
    values = frozenset[Decimal]().union(*map(number, secrets))
    others = [secret for secret in secrets if secret and not number(secret)]
    words = {needle for secret in others for needle in _needles(words_of(secret).list())}
    signs = [secret for secret in others if not words_of(secret).joined]
    found = [
        reading.place(start, stop)
        for reading in readings(text)
        for spans in (_numbers(reading, values), _words(reading, words), _signs(reading, signs))
        for start, stop in spans
    ]
    return _without(text, found)


def _secrets(task: Task) -> Iterator[str]:
    yield from _leaves(task.answer)
    for value in task.hidden.values():
        yield from (secret for secret in _leaves(value) if len(secret.strip()) >= DISTINCTIVE)


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        yield as_text(value)


def _needles(words: list[str]) -> Iterator[str]:
    """Yield what of an answer must not be said: all of it and, of a long one, each run of words."""
    sizes = {len(words), min(RUN, len(words) // 2 + 1) if len(words) >= LONG else len(words)}
    for size in sizes - {0}:
        for start in range(len(words) - size + 1):
            yield "".join(words[start : start + size])


def _numbers(reading: Reading, values: frozenset[Decimal]) -> Iterator[Span]:
    if values:
        yield from ((start, stop) for start, stop, said in numerals(reading.text) if said & values)


def _words(reading: Reading, needles: set[str]) -> Iterator[Span]:
    words = words_of(reading.text)
    ends, lengths = list(words.ends.values()), {len(needle) for needle in needles}
    for begin in words.ends:
        start = words.at[begin]
        inside = INSIDE.fullmatch(reading.text[max(0, start - 2) : start]) is not None
        for length in lengths:
            needle = words.joined[begin : begin + length]
            if needle not in needles or (inside and length < DISTINCTIVE):
                continue
            end = begin + len(needle)
            stop = ends[bisect_left(ends, end)]
            if stop == end or (length >= DISTINCTIVE and needle[-1].isalpha()):
                yield start, words.at[stop - 1] + 1


def _signs(reading: Reading, signs: Iterable[str]) -> Iterator[Span]:
    """Yield where answers without letters and digits stand, such as `->`."""
    for sign in signs:
        start = reading.text.find(sign)
        while start >= 0:
            yield start, start + len(sign)
            start = reading.text.find(sign, start + len(sign))


def _without(text: str, found: Iterable[Span]) -> str:
    parts, end = [], 0
    for start, stop in sorted(found):
        if start >= end:
            parts += [text[end:start], MARK]
        end = max(end, stop)
    return "".join([*parts, text[end:]])

"""Takes hidden answers out of text that the user's code or a judge wrote."""

import re
from collections.abc import Iterator, Sequence

from evolith.core.task import Task, as_text

MARK = "[hidden answer]"
"""What stands where an answer stood."""
RUN = 5
"""So many words of a long answer in a row give a part of it away."""
DISTINCTIVE = 4
"""Characters from which a text is found inside of words, and from which other hidden values count;
shorter ones, such as a level of 2, are no secret."""


def redact(text: str, task: Task) -> str:
    """Return `text` without the answer and the hidden values of a task.

    Found are: the text of each value, whatever its case; the same words with other punctuation or
    white space; and of longer texts, each run of five words.

    Args:
        text: Feedback or an error message.
        task: With its answer.
    """
    secrets = [secret.strip() for secret in _secrets(task)]
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= DISTINCTIVE or not re.search(r"\w", secret):
            text = re.sub(re.escape(secret), MARK, text, flags=re.IGNORECASE)
    for secret in secrets:
        text = _without_words(text, [match[0].casefold() for match in _words(secret)])
    return text


def _secrets(task: Task) -> Iterator[str]:
    yield from (secret for secret in _leaves(task.answer) if secret.strip())
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


def _words(text: str) -> list[re.Match[str]]:
    return list(re.finditer(r"\w+", text))


def _without_words(text: str, secret: Sequence[str]) -> str:
    size = min(len(secret), RUN)
    if not size:
        return text
    runs = {tuple(secret[i : i + size]) for i in range(len(secret) - size + 1)}
    words = _words(text)
    lowered = [match[0].casefold() for match in words]
    parts, end = [], 0
    for i in range(len(words) - size + 1):
        if tuple(lowered[i : i + size]) not in runs:
            continue
        start, stop = words[i].start(), words[i + size - 1].end()
        if start >= end:
            parts += [text[end:start], MARK]
        end = stop
    return "".join([*parts, text[end:]])

"""Text as answers are compared in it: without case, accents and escapes, and where it all stood."""

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

ESCAPE = re.compile(
    r"\\+(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\+u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u(?P<four>[0-9a-fA-F]{4})|U(?P<eight>[0-9a-fA-F]{8})|x(?P<two>[0-9a-fA-F]{2})"
    r"|(?P<sign>[abfnrtv0'\"/\\]))"
)
"""A character as JSON and Python escape it, however often."""
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
"""Characters of scripts that leave no space between words: each counts as a word."""
WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+(?:[+#]+(?![^\W_]))?")
"""Letters and digits, with the signs that belong to them: C++ and C# are not C."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as it is compared.

    Args:
        text: Its characters, in small letters, without accents and without what cannot be seen.
        places: For each of them, from where to where it stands in the text that was read.
    """

    text: str
    places: tuple[tuple[int, int], ...]

    def place(self, start: int, stop: int) -> tuple[int, int]:
        """Return where the characters from `start` to `stop` stand in the text that was read."""
        return self.places[start][0], self.places[stop - 1][1]


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a reading, joined: nothing counts of what stands between them.

    Args:
        joined: Their characters.
        at: For each of these, its index in the reading.
        ends: For each index in `joined` at which a word begins, the one before which it ends.
    """

    joined: str
    at: tuple[int, ...]
    ends: dict[int, int]

    def list(self) -> list[str]:
        """Return the words."""
        return [self.joined[begin:end] for begin, end in self.ends.items()]


def readings(text: str) -> Iterator[Reading]:
    """Yield a text as it stands and, where it holds escapes, as it is with these undone."""
    yield _reading((char, place, place + 1) for place, char in enumerate(text))
    if ESCAPE.search(text):
        yield _reading(_unescaped(text))


def words_of(text: str) -> Words:
    """Return the words of the text of a reading."""
    joined, ends = "", {}
    at: list[int] = []
    for found in WORD.finditer(text):
        ends[len(joined)] = len(joined) + len(found[0])
        joined += found[0]
        at.extend(range(*found.span()))
    return Words(joined, tuple(at), ends)


def _reading(chars: Iterable[tuple[str, int, int]]) -> Reading:
    pieces = [(plain, (start, stop)) for char, start, stop in chars for plain in _plain(char)]
    return Reading("".join(char for char, _ in pieces), tuple(place for _, place in pieces))


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    return "".join(c for c in text if unicodedata.category(c) not in {"Mn", "Mc", "Me", "Cf"})


def _unescaped(text: str) -> Iterator[tuple[str, int, int]]:
    end = 0
    for found in ESCAPE.finditer(text):
        yield from ((text[place], place, place + 1) for place in range(end, found.start()))
        yield _meant(found), found.start(), found.end()
        end = found.end()
    yield from ((text[place], place, place + 1) for place in range(end, len(text)))


def _meant(escape: re.Match[str]) -> str:
    if escape["high"]:
        pair = bytes.fromhex(escape["high"] + escape["low"])
        return pair.decode("utf-16-be")
    if digits := escape["four"] or escape["eight"] or escape["two"]:
        code = int(digits, 16)
        return chr(code) if code <= sys.maxunicode else " "
    return escape["sign"] if escape["sign"] in "'\"/\\" else " "

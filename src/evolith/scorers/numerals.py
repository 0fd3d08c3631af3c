"""Numbers in a text by their value, however they are written: 1,234 is 1234, and 50% is 0.5."""

import re
from collections.abc import Iterator
from decimal import Decimal

WRITTEN = (
    r"\d+(?:[.,]\d+|['\u2019_]\d{3}(?!\d))*|\.\d+",
    r"\d{1,3}(?: \d{3})+(?:[.,]\d+)?",  # on its own, since 5 100 may be two numbers as well
)
NUMBERS = tuple(
    re.compile(
        r"(?<![^\W_])(?<!\d[.,'])(?:[-+\N{MINUS SIGN}])?"
        rf"(?P<figures>{figures})"
        r"(?:e(?P<exponent>[-+]?\d{1,3})(?!\w))?"
        r"(?P<percent>\s*(?:%|percent\b|per cent\b))?"
    )
    for figures in WRITTEN
)
"""A number with its sign, its exponent and its percent, not in the middle of a word."""
GROUPED = re.compile(r"\d{1,3}(?:([.,'\u2019_ ])\d{3})(?:\1\d{3})*")
HUNDRED = 100


def numerals(text: str) -> Iterator[tuple[int, int, frozenset[Decimal]]]:
    """Yield the numbers in the text of a reading: from where to where, and what they may mean.

    A comma may part thousands, decimals or the items of a list.
    """
    for pattern in NUMBERS:
        for found in pattern.finditer(text):
            figures = found["figures"]
            items = {figures, *re.split("[,'\u2019_]", figures)}
            values = {value for item in items for value in _values(item, found)}
            yield found.start(), found.end(), frozenset(values)


def number(text: str) -> frozenset[Decimal]:
    """Return what the text of a reading may mean where it is one number; else nothing."""
    bare = text.strip().lstrip("$€£¥~= ").rstrip("€£¥. ")
    for pattern in NUMBERS:
        if found := pattern.fullmatch(bare):
            return frozenset(_values(found["figures"], found))
    return frozenset()


def _values(figures: str, found: re.Match[str]) -> Iterator[Decimal]:
    for digits in _decimals(figures):
        value = Decimal(f"{digits}e{found['exponent'] or 0}")
        yield value
        if found["percent"]:
            yield value / HUNDRED


def _decimals(figures: str) -> Iterator[str]:
    """Yield figures with a decimal point, once for each way to read their points and commas."""
    for point in ".,":
        whole, mark, rest = figures.partition(point)
        if (whole.isdecimal() or GROUPED.fullmatch(whole) or (mark and not whole)) and (
            rest.isdecimal() or not mark
        ):
            yield f"{_digits(whole)}.{rest}" if rest else _digits(whole)
    if GROUPED.fullmatch(figures):
        yield _digits(figures)


def _digits(figures: str) -> str:
    return "".join(char for char in figures if char.isdecimal()) or "0"

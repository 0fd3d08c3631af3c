"""Grammars as llama.cpp reads them (GBNF), which hold an answer to given choices."""

from collections.abc import Sequence

ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"})


def choices_grammar(choices: Sequence[str]) -> str:
    """Return a grammar whose only sentences are `choices`."""
    return "root ::= " + " | ".join(f'"{choice.translate(ESCAPED)}"' for choice in choices)

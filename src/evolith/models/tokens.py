"""Tokens where no tokenizer is at hand: a bound for the budget, an estimate for a missing usage."""

import math

from evolith.core.ids import canonical_json
from evolith.core.messages import Request

PROMPT_TOKENS = 64
"""What a chat template may add once, such as a default system message with a date."""
MESSAGE_TOKENS = 16
"""What it may add to each message: role and end marks; the known ones take 3 to 10."""
MOST_TOKENS = 100_000_000
"""No call has as many, whatever is reported: the largest contexts are a tenth of it."""
BYTES_A_TOKEN = 3
"""English text has four to five; fewer here, so that an estimate is rather too high."""


def most_tokens_in(request: Request) -> int:
    """Return a bound that the prompt tokens of `request` cannot pass, whatever the tokenizer.

    A token of text stands for at least one byte of its UTF-8: byte-level BPE is built from bytes,
    and SentencePiece falls back to them. What the template adds is not text of ours, so each
    message has an allowance for it.
    """
    return PROMPT_TOKENS + MESSAGE_TOKENS * len(request.messages) + _asked(request)


def estimate_in(request: Request) -> int:
    """Return about how many prompt tokens `request` has."""
    return min(most_tokens_in(request), 1 + math.ceil(_asked(request) / BYTES_A_TOKEN))


def estimate_out(text: str, request: Request) -> int:
    """Return about how many tokens an answer has, at most those that were asked for."""
    return min(request.max_tokens, 1 + math.ceil(_bytes(text) / BYTES_A_TOKEN))


def _asked(request: Request) -> int:
    """Return the bytes of all that a server may put before its model."""
    texts = [turn.content for turn in request.messages] + list(request.choices)
    if request.json_schema is not None:
        texts.append(canonical_json(request.json_schema))
    return sum(map(_bytes, texts))


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))

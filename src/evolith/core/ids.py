"""Content hashes, canonical JSON and derived randomness: the same input gives the same value."""

import hashlib
import json
import random

SHORT = 12
"""Hex digits of a shortened hash: 48 bits, enough for the items of one run."""
_CANONICAL = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)


def canonical_json(value: object) -> str:
    """Render `value` as JSON with sorted keys and no spaces, so that equal values give equal text.

    Raises:
        ValueError: `value` holds NaN or an infinity, which JSON cannot say.
    """
    return _CANONICAL.encode(value)


def content_hash(text: str) -> str:
    """Return the SHA-256 of `text` in UTF-8, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def rng_for(*parts: object) -> random.Random:
    """Return a generator seeded by `parts` alone.

    Every random decision has its own generator, drawn from the run seed, the item and the
    operator's name, so that the order in which workers finish never changes a decision.
    """
    return random.Random(content_hash("\x1f".join(map(str, parts))))  # noqa: S311 - not for secrets

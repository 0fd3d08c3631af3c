"""How long a server asks its callers to wait."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LIMITS = ("requests", "tokens")
"""What `x-ratelimit-remaining-*` and `x-ratelimit-reset-*` count."""
DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
"""A duration as OpenAI writes it: `1s`, `6m0s`, `20ms`."""


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds that the headers of a refused call ask for, or None.

    Args:
        headers: By name in lower case, or in a map that minds no case.
        now: The time; the server's own `Date` is taken instead where it sends one, so that a clock
            that is wrong does no harm.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after", "")
    seconds = _number(asked)
    if seconds is not None:
        return seconds
    until = _date(asked)
    if until is not None:
        start = _date(headers.get("date", "")) or now or datetime.now(UTC)
        return max(0.0, (until - start).total_seconds())
    return _reset(headers)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _reset(headers: Mapping[str, str]) -> float | None:
    """Return when every limit that is used up is free again."""
    used_up = [name for name in LIMITS if headers.get(f"x-ratelimit-remaining-{name}") == "0"]
    waits = [_duration(headers.get(f"x-ratelimit-reset-{name}", "")) for name in used_up]
    return max((wait for wait in waits if wait is not None), default=None)


def _duration(text: str) -> float | None:
    found = DURATION.fullmatch(text)
    if not text or found is None:
        return _number(text)
    hours, minutes, seconds, milliseconds = (float(part or 0) for part in found.groups())
    return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000

"""How long a server asks to wait, in every form in which servers say it."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.models.retry_after import retry_after

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
LATER = "Mon, 04 May 2026 12:00:30 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "17"}, 17),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": LATER}, 30),
        ({"retry-after": LATER, "date": "Mon, 04 May 2026 11:59:00 GMT"}, 90),
        ({"retry-after": LATER, "date": "Mon, 04 May 2026 13:00:00 GMT"}, 0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, 360),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1h2m3.5s"}, 3723.5),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "12"}, 12),
        ({"x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "1s"}, None),
        ({"x-ratelimit-remaining-tokens": "0"}, None),
    ],
)
def test_the_wait_is_read_from_the_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@given(st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms", "date"]), st.text()))
def test_whatever_a_server_sends_is_a_wait_or_none(headers: dict[str, str]) -> None:
    seconds = retry_after(headers, NOW)
    assert seconds is None or 0 <= seconds < float("inf")

"""What an HTTP status of a model's server means for the call and for the run."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from openai import APIStatusError

from evolith.errors import EvolithError, ProviderError, RefusedRequest, TransientFailure
from evolith.models.config import ModelConfig

PASSING = (408, 409, 429)
"""Statuses below 500 that may pass."""
TOO_LARGE = 413


def failure_of(error: APIStatusError, config: ModelConfig) -> EvolithError:
    """Return the failure that a status stands for.

    Returns:
        `ProviderError` where no call of the run can succeed, `TransientFailure` where a later try
        may, `RefusedRequest` where this request never will.
    """
    status, said, where = error.status_code, _said(error), f"models ({config.use})"
    quota = _code(error) in ("insufficient_quota", "billing_hard_limit_reached")
    if quota or status == 402:  # noqa: PLR2004 - payment required
        fix = "top up the account or wait for the next period, then resume the run"
        return ProviderError(f"the account has no quota left: {said}", where=where, fix=fix)
    if status in (401, 403):
        fix = f"check the key in {config.api_key_env}, then resume the run"
        return ProviderError(f"the server refuses the key ({status}): {said}", where=where, fix=fix)
    if status == 404:  # noqa: PLR2004 - not found
        fix = "check base_url and the name of the model, then start again"
        return ProviderError(f"the server does not know this: {said}", where=where, fix=fix)
    if status in PASSING or status >= 500:  # noqa: PLR2004 - the server's fault
        wait = retry_after(error.response.headers.get("retry-after"))
        return TransientFailure(f"the server answered {status}: {said}", retry_after=wait)
    return RefusedRequest(f"the server refuses the request ({status}): {said}")


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds that a `Retry-After` header asks for: a number, or a date in HTTP form."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())


def _code(error: APIStatusError) -> str:
    body = error.body if isinstance(error.body, dict) else {}
    return str(body.get("code") or body.get("type") or "")


def _said(error: APIStatusError) -> str:
    body = error.body if isinstance(error.body, dict) else {}
    text = str(body.get("message") or error.message)
    return " ".join(text.split())[:200]

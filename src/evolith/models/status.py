"""What an HTTP error of a model's server means for the call and for the run."""

import re

from openai import APIConnectionError, APIStatusError

from evolith.errors import EvolithError, ProviderError, RefusedRequest, TransientFailure
from evolith.models.config import OPENAI_URL, ModelConfig
from evolith.models.retry_after import retry_after

PASSING = (408, 409, 425, 429)
"""Statuses below 500 that may pass."""
NEVER_BEGUN = (408, 425, 429, 503, 529)
"""Statuses of calls that no model has worked on, so that nobody charges for them."""
OVERLOADED = (429, 503, 529)
"""Statuses of a server that has more calls than it takes."""
SERVER_FAULT = 500
NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
UNKNOWN_MODEL = ("model_not_found", "invalid_model")
NOT_TAKEN = ("unsupported_parameter", "unsupported_value")
"""Codes of a setting that the model refuses in every call."""
NOT_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout")
"""Faults of the connection before anything was sent."""
KEY = re.compile(r"\bsk[-_][\w*.-]{6,}")
"""What looks like a key, also one that the server has blanked out in part."""
SHOWN = 200
"""Characters of the server's words that an error repeats."""


def failure_of(error: APIStatusError, config: ModelConfig, key: str) -> EvolithError:
    """Return the failure that a status stands for.

    Args:
        error: What the client raised.
        config: The model's settings.
        key: The secret that no message may show.

    Returns:
        `ProviderError` where no call of the run can succeed, `TransientFailure` where a later try
        may, `RefusedRequest` where this request never will.
    """
    status, said = error.status_code, said_by(error, key)
    refusal = _refuses_the_run(status, _codes(error), said, config)
    if refusal is not None:
        message, fix = refusal
        return ProviderError(message, where=f"models ({config.use})", fix=fix)
    if status in PASSING or status >= SERVER_FAULT:
        return TransientFailure(
            f"the server answered {status}: {said}",
            retry_after=retry_after(error.response.headers),
            billed=status not in NEVER_BEGUN,
            busy=status in OVERLOADED,
        )
    return RefusedRequest(f"the server refuses the request ({status}): {said}")


def unreachable(error: APIConnectionError, config: ModelConfig) -> TransientFailure:
    """Return the failure of a call whose connection could not be made, or broke."""
    cause = type(error.__cause__).__name__ if error.__cause__ else "no cause given"
    address = config.base_url or OPENAI_URL
    if cause in NOT_SENT:
        return TransientFailure(f"no server can be reached at {address} ({cause})")
    # Once a request was sent it may be billed, also when the answer is lost on its way.
    return TransientFailure(f"the connection to {address} broke ({cause})", billed=True)


def said_by(error: APIStatusError, key: str) -> str:
    """Return the server's own words, in one line and without the key."""
    body = error.body if isinstance(error.body, dict) else {}
    words = str(body.get("message") or error.response.text).strip() or "no reason given"
    return "a web page" if words[0] == "<" else without_key(words, key)


def without_key(words: str, key: str) -> str:
    """Return words of a server in one line, without the key or what looks like one."""
    text = " ".join(words.split())
    return KEY.sub("[key]", text.replace(key, "[key]") if key else text)[:SHOWN].rstrip(".")


def _refuses_the_run(
    status: int, codes: set[str], said: str, config: ModelConfig
) -> tuple[str, str] | None:
    """Return message and cure where no call of the run can succeed."""
    if status == 402 or codes.intersection(NO_CREDIT):  # noqa: PLR2004 - payment required
        fix = "top up the account or wait for the next period, then resume the run"
        return f"the account has no quota left: {said}", fix
    if status in (401, 403):
        fix = f"check the key in {config.api_key_env}, then resume the run"
        return f"the server refuses the key ({status}): {said}", fix
    if status in (404, 405) or status < 400 or codes.intersection(UNKNOWN_MODEL):  # noqa: PLR2004
        fix = f"check base_url, which often ends in /v1, and the name {config.model}"
        return f"the server does not know this address or model ({status}): {said}", fix
    if codes.intersection(NOT_TAKEN):
        fix = f"leave the setting out, or take another model than {config.model}"
        return f"the model does not take a setting: {said}", fix
    return None


def _codes(error: APIStatusError) -> set[str]:
    body = error.body if isinstance(error.body, dict) else {}
    return {str(body.get(name)) for name in ("code", "type")}

"""What an HTTP error of a model's server means for the call and for the run."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from aiohttp import (
    ClientConnectorCertificateError,
    ClientConnectorError,
    ClientError,
    ClientHttpProxyError,
    ConnectionTimeoutError,
    InvalidURL,
)
from pydantic import JsonValue, TypeAdapter, ValidationError

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
NOT_SENT = (ClientConnectorError, ConnectionTimeoutError, ClientHttpProxyError, InvalidURL)
"""Faults of the connection before anything was sent."""
KEY = re.compile(r"\bsk[-_][\w*.-]{6,}")
"""What looks like a key, also one that the server has blanked out in part."""
SHOWN = 200
"""Characters of the server's words that an error repeats."""
_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a server answers in place of a completion.

    Args:
        status: The HTTP status.
        headers: In a map that minds no case.
        body: As it came.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    def error(self) -> dict[str, JsonValue]:
        """Return what the body says of the error, which most servers put under `error`."""
        try:
            said = _JSON.validate_json(self.body)
        except ValidationError:
            return {}
        inner = said.get("error", said) if isinstance(said, dict) else said
        return inner if isinstance(inner, dict) else {}


def failure_of(refusal: Refusal, config: ModelConfig, key: str) -> EvolithError:
    """Return the failure that a status stands for.

    Args:
        refusal: What the server answered.
        config: The model's settings.
        key: The secret that no message may show.

    Returns:
        `ProviderError` where no call of the run can succeed, `TransientFailure` where a later try
        may, `RefusedRequest` where this request never will.
    """
    status, error = refusal.status, refusal.error()
    said = _said(refusal, error, key)
    codes = {str(error.get(name)) for name in ("code", "type")}
    ending = _refuses_the_run(status, codes, said, config)
    if ending is not None:
        message, fix = ending
        return ProviderError(message, where=f"models ({config.use})", fix=fix)
    if status in PASSING or status >= SERVER_FAULT:
        return TransientFailure(
            f"the server answered {status}: {said}",
            retry_after=retry_after(refusal.headers),
            billed=status not in NEVER_BEGUN,
            busy=status in OVERLOADED,
        )
    return RefusedRequest(f"the server refuses the request ({status}): {said}")


def unreachable(error: ClientError, config: ModelConfig) -> TransientFailure:
    """Return the failure of a call whose connection could not be made, or broke."""
    cause, address = type(error).__name__, config.base_url or OPENAI_URL
    if isinstance(error, ClientConnectorCertificateError):
        cause = "its certificate is not trusted, SSL_CERT_FILE may name a file of those to trust"
    if isinstance(error, NOT_SENT):
        return TransientFailure(f"no server can be reached at {address} ({cause})")
    # Once a request was sent it may be billed, also when the answer is lost on its way.
    return TransientFailure(f"the connection to {address} broke ({cause})", billed=True)


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


def _said(refusal: Refusal, error: Mapping[str, JsonValue], key: str) -> str:
    """Return the server's own words, in one line and without the key."""
    words = str(error.get("message") or refusal.body.decode("utf-8", "replace")).strip()
    if words[:1] == "<":
        return "a web page"
    return without_key(words, key) or "no reason given"

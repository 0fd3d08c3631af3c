"""Reads the body of a chat completion: a whole answer is taken, and nothing less."""

from pydantic import BaseModel, Field, JsonValue, ValidationError

from evolith.core.messages import Request, Response
from evolith.errors import MalformedResponse, TruncatedResponse
from evolith.models.tokens import MOST_TOKENS, estimate_in, estimate_out

WHOLE = ("stop", "end_turn", "eos_token", "stop_sequence")
"""Reasons to finish that say that the model ended by itself, or at a text given as `stop`."""
CUT_BY_SERVER = (None, "", "abort", "error", "insufficient_system_resource")
"""Reasons of an answer that broke off, so that another try may give the whole."""
SHOWN = 80
"""Characters of a strange body that an error shows."""


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Reply(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: JsonValue = None


class _Usage(BaseModel):
    prompt_tokens: int = Field(ge=0, le=MOST_TOKENS)
    completion_tokens: int = Field(ge=0, le=MOST_TOKENS)


class _Chosen(BaseModel):
    answer: str


def read_reply(body: bytes, request: Request) -> Response:
    """Return the answer that a response body holds.

    Args:
        body: What the server sent with status 200.
        request: What was asked, for an estimate where the server gives no usage.

    Raises:
        MalformedResponse: the body is no completion.
        TruncatedResponse: the answer was cut by length, by a filter or by the server, or is empty.
            Without `tokens` it broke off, and another try may give the whole.
    """
    try:
        reply = _Reply.model_validate_json(body)
    except ValidationError as error:
        raise MalformedResponse(f"the server answered {_what(body)}, {_why(error)}") from None
    message, reason = reply.choices[0].message, reply.choices[0].finish_reason
    text = message.content or ""
    tokens = _tokens(reply.usage)
    charged = tokens or (estimate_in(request), estimate_out(text, request))
    if reason in CUT_BY_SERVER:
        raise TruncatedResponse("the answer broke off before its end")
    if reason == "length":
        limit = f"the answer was cut at its limit of {request.max_tokens} tokens"
        raise TruncatedResponse(limit, tokens=charged)
    if reason == "content_filter":
        raise TruncatedResponse("a content filter cut the answer", tokens=charged)
    if reason not in WHOLE:
        raise MalformedResponse(f"the answer ended for a reason that we do not know, {reason!r}")
    if not text.strip():
        why = "the model refused to answer" if message.refusal else "the answer is empty"
        raise TruncatedResponse(why, tokens=charged)
    return Response(text, *charged, estimated=tokens is None)


def chosen(text: str) -> str:
    """Return the choice in an answer that was held to `{"answer": ...}`.

    Raises:
        MalformedResponse: it is not of that form, so the server did not hold the model to it.
    """
    try:
        return _Chosen.model_validate_json(text).answer
    except ValidationError:
        raise MalformedResponse(
            f"the server did not hold the model to the choices, it answered {_short(text)}"
        ) from None


def _tokens(usage: JsonValue) -> tuple[int, int] | None:
    try:
        found = _Usage.model_validate(usage)
    except ValidationError:
        return None
    return found.prompt_tokens, found.completion_tokens


def _what(body: bytes) -> str:
    text = body.decode("utf-8", "replace").strip()
    return "a web page" if text[:1] == "<" else _short(text) if text else "nothing"


def _why(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return "which is no JSON"
    place = ".".join(map(str, first["loc"]))
    return f"which is no completion ({place or 'the whole'}: {first['msg']})"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= SHOWN else f"{line[:SHOWN]}...")

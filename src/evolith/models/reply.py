"""Reads the body of a chat completion: a whole answer is taken, and nothing less."""

import json
from typing import Any

from evolith.core.messages import Request, Response
from evolith.errors import MalformedResponse, TruncatedResponse

WHOLE = ("stop", "end_turn", "eos", "stop_sequence")
"""Reasons to finish that say that the model had ended by itself."""
SHOWN = 80
"""Characters of a strange body that an error shows."""


def read_reply(body: str, request: Request) -> Response:
    """Return the answer that a response body holds.

    Args:
        body: What the server sent with status 200.
        request: What was asked, for an estimate where the server gives no usage.

    Raises:
        MalformedResponse: the body is no completion.
        TruncatedResponse: the answer was cut by length or by a filter, or is empty.
    """
    data = _object(body)
    if data.get("error"):
        raise MalformedResponse(f"the server answered with an error: {_short(data['error'])}")
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise MalformedResponse(f"the answer holds no choices: {_short(data)}")
    message = choices[0].get("message")
    content = message.get("content") if isinstance(message, dict) else None
    reason = choices[0].get("finish_reason")
    if content is not None and not isinstance(content, str):
        raise MalformedResponse(f"the content of the answer is no text: {_short(content)}")
    tokens = _usage(data.get("usage"))
    if reason == "length":
        limit = f"the answer was cut at its limit of {request.max_tokens} tokens"
        raise TruncatedResponse(limit, tokens=tokens)
    if reason not in WHOLE:
        raise TruncatedResponse(f"the answer is not complete ({reason})", tokens=tokens)
    if not content or not content.strip():
        raise TruncatedResponse("the answer is empty", tokens=tokens)
    if tokens is None:
        return Response(content, *_estimate(content, request), estimated=True)
    return Response(content, *tokens)


def _object(body: str) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise MalformedResponse(f"the answer is no JSON: {_short(body)}") from None
    if not isinstance(data, dict):
        raise MalformedResponse(f"the answer is no JSON object: {_short(data)}")
    return data


def _usage(usage: object) -> tuple[int, int] | None:
    if not isinstance(usage, dict):
        return None
    match usage.get("prompt_tokens"), usage.get("completion_tokens"):
        case int(tokens_in), int(tokens_out) if tokens_in >= 0 and tokens_out >= 0:
            return tokens_in, tokens_out
    return None


def _estimate(content: str, request: Request) -> tuple[int, int]:
    """Guess tokens from characters, four to one, as English text has on average."""
    asked = sum(len(turn.content) for turn in request.messages)
    return asked // 4 + 1, len(content) // 4 + 1


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    text = " ".join(text.split())
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")

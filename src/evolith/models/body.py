"""What a request says to an OpenAI-compatible server."""

import json
from urllib.parse import urlsplit

from evolith.core.messages import Request
from evolith.models.config import OPENAI_URL, ModelConfig
from evolith.models.grammar import choices_grammar

NEW_NAME = ("api.openai.com", ".openai.azure.com")
"""Hosts where the limit of an answer is called `max_completion_tokens`: the reasoning models there
refuse the old name, `max_tokens`, which is the only one that many other servers know."""


def body_of(config: ModelConfig, request: Request) -> bytes:
    """Return the body, which is JSON."""
    turns = [{"role": turn.role, "content": turn.content} for turn in request.messages]
    return json.dumps({"model": config.model, "messages": turns} | _asked(config, request)).encode()


def is_wrapped(config: ModelConfig, request: Request) -> bool:
    """Say whether the answer is `{"answer": CHOICE}`: a JSON Schema must be of an object."""
    return bool(request.choices) and config.structured == "openai"


def _asked(config: ModelConfig, request: Request) -> dict[str, object]:
    """Return the fields besides the model and the messages."""
    host = urlsplit(config.base_url or OPENAI_URL).hostname or ""
    limit = "max_completion_tokens" if host.endswith(NEW_NAME) else "max_tokens"
    body: dict[str, object] = {limit: request.max_tokens}
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.seed is not None:
        body["seed"] = request.seed
    if request.stop:
        body["stop"] = list(request.stop)
    return body | _held_to(config, request)


def _held_to(config: ModelConfig, request: Request) -> dict[str, object]:
    if request.json_schema is not None:
        schema = dict(request.json_schema)
        ways: dict[str, dict[str, object]] = {
            "openai": _response_format(schema),
            "vllm": {"structured_outputs": {"json": schema}},
            "llama.cpp": {"json_schema": schema},
        }
    elif request.choices:
        ways = {
            "openai": _response_format(_wrapped(request.choices)),
            "vllm": {"structured_outputs": {"choice": list(request.choices)}},
            "llama.cpp": {"grammar": choices_grammar(request.choices)},
        }
    else:
        ways = {}
    return ways.get(config.structured, {})


def _wrapped(choices: tuple[str, ...]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": list(choices)}},
        "required": ["answer"],
        "additionalProperties": False,
    }


def _response_format(schema: dict[str, object]) -> dict[str, object]:
    shape = {"name": "answer", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": shape}}

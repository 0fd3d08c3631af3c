"""What is sent to a server: the limit by its right name, and what holds the model to an answer."""

import json
from pathlib import Path

import anyio
import pytest

from evolith.core.messages import Message, Request, Response
from evolith.errors import MalformedResponse
from evolith.models.body import body_of
from evolith.models.build import build_model
from evolith.models.config import ModelConfig
from evolith.testing.fault_server import completion, serving

MESSAGES = (Message("system", "Be brief."), Message("user", "Say yes."))
PLAIN = Request(MESSAGES, max_tokens=9)
CHOICES = Request(MESSAGES, 9, choices=("yes", 'a "no"'))
SCHEMA = Request(MESSAGES, 9, json_schema={"type": "object"})


def sent(request: Request, **settings: object) -> dict[str, object]:
    """Return what is sent besides the model and the messages."""
    body = json.loads(body_of(ModelConfig.model_validate({"use": "openai:x", **settings}), request))
    return {name: value for name, value in body.items() if name not in ("model", "messages")}


def answer(config: ModelConfig, request: Request) -> Response:
    async def ask() -> Response:
        model = build_model(config, Path())
        try:
            return await model.complete(request)
        finally:
            await model.aclose()

    return anyio.run(ask)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (None, "max_completion_tokens"),
        ("https://mine.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("http://127.0.0.1:11434/v1", "max_tokens"),
        ("https://api.openai.com.evil.example/v1", "max_tokens"),
    ],
)
def test_the_limit_has_the_name_that_the_server_knows(url: str | None, name: str) -> None:
    assert sent(PLAIN, base_url=url) == {name: 9}


def test_only_what_was_asked_for_is_sent() -> None:
    request = Request(MESSAGES, 9, temperature=0.0, seed=3, stop=("\n",))
    assert sent(request) == {
        "max_completion_tokens": 9,
        "temperature": 0.0,
        "seed": 3,
        "stop": ["\n"],
    }


def test_a_server_that_cannot_be_held_to_an_answer_is_not_asked_to() -> None:
    assert sent(CHOICES) == sent(SCHEMA) == sent(PLAIN)


def test_vllm_and_llama_cpp_are_held_in_their_own_ways() -> None:
    vllm, llama = {"structured": "vllm"}, {"structured": "llama.cpp"}
    assert sent(CHOICES, **vllm)["structured_outputs"] == {"choice": ["yes", 'a "no"']}
    assert sent(SCHEMA, **vllm)["structured_outputs"] == {"json": {"type": "object"}}
    assert sent(CHOICES, **llama)["grammar"] == r'root ::= "yes" | "a \"no\""'
    assert sent(SCHEMA, **llama)["json_schema"] == {"type": "object"}


def test_a_response_format_wraps_choices_and_the_answer_is_taken_out_again() -> None:
    with serving(completion('{"answer": "yes"}')) as server:
        config = ModelConfig(use="openai:x", base_url=server.url, structured="openai")
        assert answer(config, CHOICES).text == "yes"
        shape = json.dumps(server.received[0].body["response_format"])
    assert json.dumps(["yes", 'a "no"']) in shape


def test_an_answer_outside_the_wrapping_is_not_taken() -> None:
    with serving(completion("yes")) as server:
        config = ModelConfig(use="openai:x", base_url=server.url, structured="openai")
        with pytest.raises(MalformedResponse, match="did not hold the model to the choices"):
            answer(config, CHOICES)


@pytest.mark.parametrize(
    "words", ["Say yes.", "Sag \u00bbja\u00ab.\r\n\x00", "\U0001f600", "\ud83d"]
)
def test_messages_and_model_are_sent_as_they_are(words: str) -> None:
    turns = (*MESSAGES, Message("assistant", "Yes."), Message("user", words))
    with serving(completion()) as server:
        config = ModelConfig(use="openai:qwen2.5:14b", base_url=server.url)
        answer(config, Request(turns, 9))
        received = server.received[0]
    assert received.body["model"] == "qwen2.5:14b"
    assert received.body["messages"] == [
        {"role": turn.role, "content": turn.content} for turn in turns
    ]

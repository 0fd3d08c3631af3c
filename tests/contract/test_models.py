"""Every model keeps the contract, by the suite that ships."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evolith.core.messages import Message, Request
from evolith.core.ports import Model
from evolith.models.build import build_model
from evolith.models.config import ModelConfig
from evolith.testing.fault_server import Received, Reply, completion, serving
from evolith.testing.model_suite import ModelSuite

FUNCTIONS = """
def plain(request):
    return "one two three four five" if "Count" in request.messages[-1].content else "yes"

async def coroutine(request):
    return plain(request)
"""
SCRIPT = """\
{"match": "Count", "answer": "one two three four five"}
{"match": "", "answer": "yes"}
"""


def answer(received: Received) -> Reply:
    """Cut the answer where a server would."""
    if received.body["max_tokens"] == 3:
        return completion("one two three", "length", (5, 3))
    return completion("yes", usage=(5, 1))


class Quiz(ModelSuite):
    @pytest.fixture
    def question(self) -> Request:
        return Request((Message("user", "Say yes."),), max_tokens=20)

    @pytest.fixture
    def long_question(self) -> Request:
        return Request((Message("user", "Count to a thousand."),), max_tokens=3)


class TestScripted(Quiz):
    @pytest.fixture
    def model(self, tmp_path: Path) -> Model:
        (tmp_path / "script.jsonl").write_text(SCRIPT, encoding="utf-8")
        return build_model(ModelConfig(use="scripted:script.jsonl"), tmp_path)


@pytest.mark.parametrize("name", ["plain", "coroutine"])
class TestFunction(Quiz):
    @pytest.fixture
    def model(self, tmp_path: Path, name: str) -> Model:
        (tmp_path / "contract_model.py").write_text(FUNCTIONS, encoding="utf-8")
        return build_model(ModelConfig(use=f"function:contract_model:{name}"), tmp_path)


class TestServer(Quiz):
    @pytest.fixture
    def model(self, tmp_path: Path) -> Iterator[Model]:
        with serving(answer) as server:
            yield build_model(ModelConfig(use="openai:small", base_url=server.url), tmp_path)


@pytest.mark.local_model
class TestLocal(ModelSuite):
    @pytest.fixture
    def model(self, tmp_path: Path) -> Model:
        return build_model(ModelConfig(use="local:smollm2"), tmp_path)

    @pytest.fixture
    def question(self) -> Request:
        turns = [Message("system", "Say of what sort it is.")]
        for thing, sort in (("apple", "fruit"), ("hammer", "tool"), ("plum", "fruit")):
            turns += [Message("user", thing), Message("assistant", sort)]
        return Request((*turns, Message("user", "pear")), max_tokens=8)

    @pytest.fixture
    def long_question(self) -> Request:
        return Request((Message("user", "Tell me a story about a tram."),), max_tokens=5)

"""Answers that are written down beforehand."""

from pathlib import Path

import anyio
import pytest

from evolith.core.messages import Message, Request, Response
from evolith.errors import ConfigError, EvolithError, TruncatedResponse
from evolith.models.build import build_model
from evolith.models.config import ModelConfig
from evolith.models.scripted import Rule, ScriptedModel


def asked(text: str, max_tokens: int = 9) -> Request:
    return Request((Message("system", "Be brief."), Message("user", text)), max_tokens)


def answer(request: Request, *rules: Rule) -> Response:
    return anyio.run(ScriptedModel(rules).complete, request)


def test_the_first_rule_that_matches_answers() -> None:
    rules = Rule("apple|pear", "fruit"), Rule("", "thing")
    assert answer(asked("a pear"), *rules).text == "fruit"
    assert answer(asked("a saw"), *rules).text == "thing"


def test_tokens_are_words() -> None:
    assert answer(asked("a saw"), Rule("", "a tool")) == Response("a tool", 4, 2)


def test_a_request_without_a_rule_is_named() -> None:
    with pytest.raises(EvolithError, match=r"no rule of the script matches .*a saw"):
        answer(asked("a saw"), Rule("pear", "fruit"))


def test_an_answer_longer_than_asked_for_is_cut_as_a_server_would() -> None:
    with pytest.raises(TruncatedResponse) as cut:
        answer(asked("a saw", max_tokens=1), Rule("", "a tool"))
    assert cut.value.tokens == (4, 1)


def test_an_empty_answer_is_none() -> None:
    with pytest.raises(TruncatedResponse, match="empty"):
        answer(asked("a saw"), Rule("", " "))


@pytest.mark.parametrize(
    "line", ["no json", "[]", '{"match": "a"}', '{"match": "(", "answer": "b"}', "7"]
)
def test_a_line_that_is_no_rule_is_refused_with_its_place(tmp_path: Path, line: str) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text(f'{{"match": "", "answer": "yes"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        build_model(ModelConfig(use="scripted:script.jsonl"), tmp_path)
    assert refused.value.where == f"{script}:2"


def test_a_missing_script_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the script cannot be read"):
        build_model(ModelConfig(use="scripted:none.jsonl"), tmp_path)

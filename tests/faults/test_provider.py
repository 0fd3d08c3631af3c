"""A server that misbehaves: nothing broken is taken, nobody waits forever, no key is told."""

import logging
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from socket import create_server

import anyio
import anyio.lowlevel
import pytest

from evolith.core.messages import Message, Request, Response
from evolith.core.ports import Model
from evolith.errors import (
    EvolithError,
    MalformedResponse,
    ModelFailure,
    ProviderError,
    RefusedRequest,
    TransientFailure,
    TruncatedResponse,
)
from evolith.models.build import build_model
from evolith.models.config import ModelConfig
from evolith.models.openai import OpenAIModel
from evolith.models.retry import Answer, Retrier
from evolith.testing.counted_tries import CountedTries
from evolith.testing.fault_server import Reply, body, completion, serving, silence, status

KEY = "sk-never-to-be-seen-4711"
REQUEST = Request((Message("user", "Say yes."),), max_tokens=9)
WHOLE = completion("yes", usage=(7, 3))


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULT_KEY", KEY)


def settings(url: str, timeout: float = 20, retries: int = 4, **others: object) -> ModelConfig:
    base = {"use": "openai:small", "base_url": url, "api_key_env": "FAULT_KEY"}
    return ModelConfig.model_validate({**base, "timeout": timeout, "retries": retries, **others})


def once(*replies: Reply, timeout: float = 20) -> Response | EvolithError:
    """Ask once."""
    with serving(*replies) as server:
        return ask_at(server.url, timeout)


def ask_at(url: str, timeout: float = 20) -> Response | EvolithError:
    """Ask the server at an address once."""

    async def ask(model: Model) -> Response | EvolithError:
        try:
            return await model.complete(REQUEST)
        except EvolithError as error:
            return error
        finally:
            await model.aclose()

    return anyio.run(ask, build_model(settings(url, timeout), Path()))


def by_the_rules(*replies: Reply, retries: int = 4) -> tuple[Answer, int, int]:
    """Ask through a retrier; return the answer, the requests that came in and the charged tries."""
    tries = CountedTries()

    async def no_pause(seconds: float) -> None:
        await anyio.lowlevel.checkpoint()

    async def ask(model: Model, config: ModelConfig) -> Answer:
        try:
            return await Retrier(config, sleep=no_pause).ask(model, REQUEST, tries)
        finally:
            await model.aclose()

    with serving(*replies) as server:
        config = settings(server.url, retries=retries)
        answer = anyio.run(ask, build_model(config, Path()), config)
        assert tries.reserved == tries.lost
        return answer, len(server.received), tries.lost


class TestOneTry:
    def test_a_whole_answer_is_taken_with_its_usage(self) -> None:
        assert once(WHOLE) == Response("yes", 7, 3)

    @pytest.mark.parametrize(
        "reply",
        [
            body(b"<html><body>Welcome to nginx</body></html>"),
            body({}),
            body([]),
            body(b"null"),
            body(b""),
            body({"error": {"message": "overloaded"}}),
            body({"choices": []}),
            body({"choices": [{}]}),
            body({"choices": [{"message": {"content": ["y"]}, "finish_reason": "stop"}]}),
            body(WHOLE.body[:-20]),
            body(b"data: " + WHOLE.body),
            body(b"\xff\xfe\x00"),
            completion("", "tool_calls"),
        ],
        ids=lambda reply: reply.body[:24].decode("latin-1"),
    )
    def test_what_is_no_completion_is_malformed(self, reply: Reply) -> None:
        assert isinstance(once(reply), MalformedResponse)

    @pytest.mark.parametrize("reason", ["length", "content_filter"])
    def test_a_cut_answer_is_not_taken_but_charged(self, reason: str) -> None:
        cut = once(completion("ye", reason, (7, 9)))
        assert isinstance(cut, TruncatedResponse)
        assert cut.tokens == (7, 9)

    @pytest.mark.parametrize("text", ["", "  \n", None])
    def test_an_empty_answer_is_not_taken_but_charged(self, text: str | None) -> None:
        cut = once(completion(text))
        assert isinstance(cut, TruncatedResponse)
        assert cut.tokens == (7, 3)

    def test_an_answer_without_a_reason_to_end_has_broken_off(self) -> None:
        cut = once(completion("ye", None))
        assert isinstance(cut, TruncatedResponse)
        assert cut.tokens is None

    @pytest.mark.parametrize(
        "usage",
        [
            None,
            "7",
            {"prompt_tokens": -1, "completion_tokens": 2},
            {"prompt_tokens": 1, "completion_tokens": 10**30},
        ],
    )
    def test_a_missing_or_absurd_usage_is_estimated_and_flagged(self, usage: object) -> None:
        choice = {"message": {"content": "yes"}, "finish_reason": "stop"}
        answer = once(body({"choices": [choice], "usage": usage}))
        assert isinstance(answer, Response)
        assert answer.estimated
        assert 0 < answer.tokens_out <= REQUEST.max_tokens
        assert answer.tokens_in > 0

    @pytest.mark.parametrize(
        ("reply", "said"),
        [
            (status(401, "no such key"), "check the key in FAULT_KEY"),
            (status(403, "not in your country"), "not in your country"),
            (status(402, "pay first"), "top up the account"),
            (status(429, "quota", error_code="insufficient_quota"), "top up the account"),
            (status(404, "no model small"), "check base_url"),
            (status(400, "which model?", error_code="model_not_found"), "check base_url"),
            (status(405), "check base_url"),
            (status(300), "check base_url"),
            (
                status(400, "no temperature", error_code="unsupported_value"),
                "leave the setting out",
            ),
        ],
    )
    def test_what_no_call_can_pass_ends_the_run_and_says_what_to_do(
        self, reply: Reply, said: str
    ) -> None:
        refused = once(reply)
        assert isinstance(refused, ProviderError)
        assert said in f"{refused.message} {refused.fix}"

    @pytest.mark.parametrize("code", [408, 425, 429, 503, 529])
    def test_a_call_that_no_model_began_is_transient_and_free(self, code: int) -> None:
        failure = once(status(code))
        assert isinstance(failure, TransientFailure)
        assert not failure.billed
        assert failure.retry_after is None
        assert failure.busy == (code in {429, 503, 529})

    @pytest.mark.parametrize("code", [409, 500, 502, 504])
    def test_a_call_that_a_model_may_have_begun_may_be_billed(self, code: int) -> None:
        failure = once(status(code))
        assert isinstance(failure, TransientFailure)
        assert failure.billed
        assert not failure.busy

    def test_a_wait_that_the_server_asks_for_is_told(self) -> None:
        failure = once(status(429, retry_after="17"))
        assert isinstance(failure, TransientFailure)
        assert failure.retry_after == 17

    @pytest.mark.parametrize(
        "reply",
        [
            status(400, "too many tokens", error_code="context_length_exceeded"),
            status(413),
            status(422, "strange field"),
        ],
    )
    def test_a_request_that_the_server_cannot_take_is_refused(self, reply: Reply) -> None:
        assert isinstance(once(reply), RefusedRequest)

    @pytest.mark.parametrize(
        "reply",
        [
            Reply(broken="reset"),
            Reply(broken="closed"),
            replace(WHOLE, sent=30),
            replace(WHOLE, chunked=True),
            replace(WHOLE, headers=(("content-encoding", "gzip"),)),
            replace(WHOLE, headers=(("content-length", "many"),)),
        ],
        ids=["reset", "closed", "body cut", "no last chunk", "no gzip", "no length"],
    )
    def test_a_broken_connection_is_transient_and_may_be_billed(self, reply: Reply) -> None:
        failure = once(reply)
        assert isinstance(failure, TransientFailure)
        assert failure.billed

    @pytest.mark.parametrize("reply", [silence(), replace(WHOLE, pause=0.05)])
    def test_neither_silence_nor_a_drip_passes_the_time_of_a_try(self, reply: Reply) -> None:
        failure = once(reply, timeout=0.3)
        assert isinstance(failure, TransientFailure)
        assert "within 0.3 seconds" in failure.message
        assert failure.billed

    def test_a_dead_server_is_named_and_charges_nothing(self) -> None:
        with closing(create_server(("127.0.0.1", 0))) as free:
            url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"

        dead = ask_at(url)
        assert isinstance(dead, TransientFailure)
        assert f"no server can be reached at {url}" in dead.message
        assert not dead.billed


class TestTheKey:
    @pytest.mark.parametrize(
        "reply",
        [
            status(401, f"bad key {KEY}"),
            status(400, f"bad header Bearer {KEY}"),
            status(500, f"crash with {KEY}"),
            replace(body(f"<p>{KEY}".encode()), status=502),
            body({"error": KEY}),
            completion(f"your key is {KEY}"),
            completion(f"your key is {KEY}", "length"),
            completion("yes", f"stop because of {KEY}"),
        ],
    )
    def test_no_error_and_no_answer_repeats_it(self, reply: Reply) -> None:
        result = once(reply)
        told = [str(result), repr(result), repr(getattr(result, "__dict__", ""))]
        assert not [text for text in told if KEY in text]

    def test_a_key_that_the_server_blanks_out_in_part_is_not_repeated_either(self) -> None:
        assert "4711" not in str(once(status(401, "Incorrect API key provided: sk-nev****4711.")))

    def test_neither_model_nor_settings_nor_logs_show_it(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def ask(model: Model) -> str:
            await model.complete(REQUEST)
            shown = f"{model!r} {model}"
            await model.aclose()
            return shown

        with serving(WHOLE) as server, caplog.at_level(logging.DEBUG):
            shown = anyio.run(ask, build_model(settings(server.url), Path()))
            assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
            assert KEY not in f"{shown} {settings(server.url)!r} {caplog.text}"

    @pytest.mark.parametrize("key", ["sk-two\nlines", "sk-t\u00e4glich", "sk-\x7f"])
    def test_one_that_is_none_is_refused_before_anything_is_sent(
        self, monkeypatch: pytest.MonkeyPatch, key: str
    ) -> None:
        monkeypatch.setenv("FAULT_KEY", key)
        refused = once(WHOLE)
        assert isinstance(refused, ProviderError)
        assert "FAULT_KEY holds a line break" in refused.message
        assert key not in str(refused)

    def test_a_missing_one_is_named_before_anything_is_sent(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("FAULT_KEY")
        model = build_model(settings("https://llm.example.org/v1"), Path())
        with pytest.raises(ProviderError, match="FAULT_KEY is not set"):
            anyio.run(model.complete, REQUEST)

    def test_a_server_on_this_machine_needs_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("FAULT_KEY")
        assert once(WHOLE) == Response("yes", 7, 3)


class TestByTheRules:
    @pytest.mark.parametrize("code", [408, 409, 429, 500, 529])
    def test_a_passing_fault_is_tried_again(self, code: int) -> None:
        answer, requests, _ = by_the_rules(status(code), status(code), WHOLE)
        assert answer.result == Response("yes", 7, 3)
        assert (answer.tries, requests) == (3, 3)

    def test_tries_are_bounded(self) -> None:
        answer, requests, _ = by_the_rules(status(500), retries=3)
        assert isinstance(answer.result, TransientFailure)
        assert requests == 4

    def test_each_try_that_may_be_billed_is_charged_before_the_next(self) -> None:
        answer, _, charged = by_the_rules(status(500), status(429), Reply(broken="reset"), WHOLE)
        assert (answer.tries, charged) == (4, 2)

    @pytest.mark.parametrize("reply", [body({}), body(b"<html>"), completion("ye", None)])
    def test_broken_answers_are_asked_for_twice_more_at_most(self, reply: Reply) -> None:
        answer, requests, charged = by_the_rules(reply)
        assert isinstance(answer.result, MalformedResponse | TruncatedResponse)
        assert (requests, charged) == (3, 2)
        assert by_the_rules(reply, WHOLE)[0].result == Response("yes", 7, 3)

    @pytest.mark.parametrize(
        "reply",
        [
            completion("ye", "length"),
            completion(""),
            status(400, error_code="context_length_exceeded"),
        ],
    )
    def test_what_another_try_cannot_mend_is_not_tried_again(self, reply: Reply) -> None:
        answer, requests, _ = by_the_rules(reply)
        assert isinstance(answer.result, ModelFailure)
        assert requests == 1

    @pytest.mark.parametrize(
        "reply", [status(401), status(429, error_code="insufficient_quota"), status(404)]
    )
    def test_what_ends_the_run_is_not_tried_again(self, reply: Reply) -> None:
        with pytest.raises(ProviderError):
            by_the_rules(reply, WHOLE)

    def test_a_wait_above_the_longest_is_given_up_and_said(self) -> None:
        answer, requests, _ = by_the_rules(status(429, retry_after="300"))
        assert isinstance(answer.result, TransientFailure)
        assert "asks to wait 300 seconds, more than the 120" in answer.result.message
        assert requests == 1


@pytest.mark.anyio
async def test_a_key_of_openai_is_not_sent_to_another_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    model = OpenAIModel(ModelConfig(use="openai:m", base_url="https://llm.example.org/v1"))
    with pytest.raises(ProviderError, match=r"llm\.example\.org would be sent the key") as refused:
        await model.complete(REQUEST)
    assert "sk-secret" not in str(refused.value)

"""A model behind HTTP: what is sent where, over how many connections, and what is left behind."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

import anyio
import pytest

from evolith.core.messages import Message, Request
from evolith.errors import ProviderError, TransientFailure
from evolith.models.config import ModelConfig
from evolith.models.openai import OpenAIModel
from evolith.testing.fault_server import completion, serving, status

pytestmark = pytest.mark.anyio
REQUEST = Request((Message("user", "Say yes."),), max_tokens=9)
KEY = "sk-never-to-be-seen-4711"
WHOLE = completion("yes")


@asynccontextmanager
async def model_at(url: str, **others: object) -> AsyncIterator[OpenAIModel]:
    model = OpenAIModel(ModelConfig.model_validate({"use": "openai:m", "base_url": url, **others}))
    try:
        yield model
    finally:
        await model.aclose()


@dataclass
class KeepingServer:
    """Answers call after call over the same connection, each once `hold` is set.

    Args:
        hold: Set for answers to be sent.
    """

    hold: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""
    opened: int = 0
    """Connections so far."""
    left: int = 0
    """Connections that their client has closed."""
    asked: int = 0
    """Calls so far."""
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def until(self, reached: Callable[[], bool]) -> None:
        """Wait for a count."""
        async with self._changed:
            await self._changed.wait_for(reached)

    @asynccontextmanager
    async def running(self) -> AsyncIterator["KeepingServer"]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        async with server:
            yield self

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._count("opened")
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
                await reader.readexactly(int(length))
                await self._count("asked")
                await self.hold.wait()
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(WHOLE.body))
                writer.write(WHOLE.body)
        except (asyncio.IncompleteReadError, ConnectionError):
            await self._count("left")
        finally:
            writer.close()

    async def _count(self, what: Literal["opened", "left", "asked"]) -> None:
        async with self._changed:
            setattr(self, what, getattr(self, what) + 1)
            self._changed.notify_all()


async def ask_at_once(model: OpenAIModel, calls: int) -> None:
    async with anyio.create_task_group() as group:
        for _ in range(calls):
            group.start_soon(model.complete, REQUEST)


async def test_calls_at_once_have_a_connection_each_and_later_ones_use_them_again() -> None:
    calls = 150  # more than the pools of most clients hold
    async with KeepingServer().running() as server, model_at(server.url) as model:
        async with anyio.create_task_group() as group:
            group.start_soon(ask_at_once, model, calls)
            await server.until(lambda: server.asked == calls)
            server.hold.set()
        assert server.opened == calls
        await ask_at_once(model, calls)
        assert (server.asked, server.opened) == (2 * calls, calls)


async def test_a_call_that_is_given_up_closes_its_connection_and_no_other() -> None:
    async with KeepingServer().running() as server, model_at(server.url) as model:
        async with anyio.create_task_group() as group:
            group.start_soon(model.complete, REQUEST)
            await server.until(lambda: server.asked == 1)
            group.cancel_scope.cancel()
        server.hold.set()
        await model.complete(REQUEST)
        await server.until(lambda: server.left == 1)
        await model.complete(REQUEST)
        assert (server.opened, server.left) == (2, 1)


async def test_closing_leaves_no_connection_and_a_later_call_opens_one() -> None:
    async with KeepingServer().running() as server, model_at(server.url) as model:
        server.hold.set()
        await ask_at_once(model, 3)
        await model.aclose()
        await server.until(lambda: server.left == 3)
        await model.complete(REQUEST)
        assert server.opened == 4


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("", "/chat/completions"),
        ("/", "/chat/completions"),
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/api/v1/a%2Fb", "/api/v1/a%2Fb/chat/completions"),
    ],
)
async def test_the_path_is_the_address_and_what_all_servers_have(base: str, path: str) -> None:
    with serving(WHOLE) as server:
        async with model_at(server.url.removesuffix("/v1") + base) as model:
            await model.complete(REQUEST)
        assert server.received[0].path == path


async def test_a_call_says_who_makes_it_and_that_it_is_json(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    with serving(WHOLE) as server:
        async with model_at(server.url) as model:
            await model.complete(REQUEST)
        headers = server.received[0].headers
    assert headers["content-type"] == headers["accept"] == "application/json"
    assert headers["user-agent"].startswith("evolith/")
    assert "openai-organization" not in headers  # this is not OpenAI


async def test_openai_is_told_the_organization_and_the_project(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(WHOLE) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        async with model_at("http://api.openai.com/v1") as model:
            await model.complete(REQUEST)
        headers = proxy.received[0].headers
    assert (headers["openai-organization"], headers["openai-project"]) == ("org-1", "proj-1")


async def test_an_answer_that_is_packed_is_unpacked() -> None:
    packed = replace(WHOLE, body=gzip.compress(WHOLE.body), headers=(("content-encoding", "gzip"),))
    with serving(packed) as server:
        async with model_at(server.url) as model:
            assert (await model.complete(REQUEST)).text == "yes"


async def test_a_call_that_is_sent_elsewhere_on_the_server_follows_with_its_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    moved = replace(status(307), headers=(("location", "/v2/chat/completions"),))
    with serving(moved, WHOLE) as server:
        async with model_at(server.url) as model:
            await model.complete(REQUEST)
        first, second = server.received
    assert (second.path, second.body) == ("/v2/chat/completions", first.body)
    assert second.headers["authorization"] == f"Bearer {KEY}"


async def test_a_call_that_is_sent_to_another_server_does_not_tell_it_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(WHOLE) as other:
        moved = replace(status(307), headers=(("location", f"{other.url}/chat/completions"),))
        with serving(moved) as server:
            async with model_at(server.url) as model:
                await model.complete(REQUEST)
        assert KEY not in str(other.received)


async def test_a_server_that_sends_calls_in_a_circle_fails_them() -> None:
    moved = replace(status(308), headers=(("location", "/v1/chat/completions"),))
    with serving(moved) as server:
        async with model_at(server.url) as model:
            with pytest.raises(TransientFailure, match="broke"):
                await model.complete(REQUEST)


async def test_a_redirect_to_nowhere_says_to_check_the_address() -> None:
    with serving(status(301)) as server:
        async with model_at(server.url) as model:
            with pytest.raises(ProviderError, match="does not know this address"):
                await model.complete(REQUEST)

"""An OpenAI-compatible server on loopback that misbehaves as it is told, for tests of clients.

It runs in a thread of its own, so a test may be synchronous, asynchronous, or start a process::

    with serving(status(429, "slow down", retry_after="1"), completion("yes")) as server:
        ask(server.url)
        assert len(server.received) == 2
"""

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

from anyio.from_thread import start_blocking_portal


@dataclass(frozen=True, slots=True)
class Reply:
    """What one request is answered with.

    Args:
        body: The body.
        status: The HTTP status.
        headers: Further headers, or others in place of the usual ones.
        sent: Bytes of the body that are really sent; all of them unless given.
        chunked: Send it in chunks, without the last one that says that it is whole.
        before: Seconds of silence before anything is sent.
        pause: Seconds before each byte of the body.
        broken: End the connection before anything is sent: by closing or by resetting it.
    """

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    sent: int | None = None
    chunked: bool = False
    before: float = 0.0
    pause: float = 0.0
    broken: Literal["", "closed", "reset"] = ""


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came in.

    Args:
        path: Such as `/v1/chat/completions`.
        headers: By name in lower case.
        body: The JSON that was sent.
    """

    path: str
    headers: dict[str, str]
    body: dict[str, object]


Answer = Reply | Callable[[Received], Reply]


@dataclass(slots=True)
class FaultServer:
    """Answers request after request with the next reply; the last one stays.

    Args:
        replies: At least one; a function makes its reply from the request.
    """

    replies: tuple[Answer, ...]
    received: list[Received] = field(default_factory=list)
    """The requests, oldest first."""
    url: str = ""
    """The base URL to give to a client."""
    _answering: set[asyncio.Task[None]] = field(default_factory=set)

    @asynccontextmanager
    async def running(self) -> AsyncIterator["FaultServer"]:
        """Serve until the block ends."""
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/v1"
        try:
            yield self
        finally:
            server.close()
            for task in list(self._answering):
                task.cancel()  # one that is silent on purpose

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._answering.add(task)
        try:
            self.received.append(await _read(reader))
            answer = self.replies[min(len(self.received), len(self.replies)) - 1]
            reply = answer if isinstance(answer, Reply) else answer(self.received[-1])
            await asyncio.sleep(reply.before)
            await _send(reply, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client has gone, or the test is over
        finally:
            self._answering.discard(task)
            writer.close()


@contextmanager
def serving(*replies: Answer) -> Iterator[FaultServer]:
    """Run a server that answers with `replies`, in a thread of its own."""
    with start_blocking_portal() as portal:
        server = FaultServer(replies)
        with portal.wrap_async_context_manager(server.running()):
            yield server


def completion(
    text: str | None = "yes",
    finish_reason: str | None = "stop",
    usage: tuple[int, int] | None = (7, 3),
) -> Reply:
    """Return a reply that is a chat completion."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": finish_reason}
    data: dict[str, object] = {"object": "chat.completion", "choices": [choice]}
    if usage is not None:
        data["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return body(data)


def body(data: object) -> Reply:
    """Return a reply with status 200 whose body is `data` as JSON, or bytes as they are."""
    return Reply(data if isinstance(data, bytes) else json.dumps(data).encode())


def silence() -> Reply:
    """Return a reply that does not come while a test runs."""
    return Reply(before=3600)


def status(
    code: int, message: str = "no", *, error_code: str | None = None, retry_after: str | None = None
) -> Reply:
    """Return a reply with an error, as OpenAI words them."""
    error = {"message": message, "type": "some_error", "code": error_code}
    headers = (("retry-after", retry_after),) if retry_after is not None else ()
    return replace(body({"error": error}), status=code, headers=headers)


async def _read(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(head[0].split()[1], headers, json.loads(raw or b"{}"))


async def _send(reply: Reply, writer: asyncio.StreamWriter) -> None:
    if reply.broken == "reset":
        linger = struct.pack("ii", 1, 0)  # closing then sends a reset
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    if reply.broken:
        return
    headers = {"content-type": "application/json", "connection": "close"}
    if reply.chunked:
        headers["transfer-encoding"] = "chunked"
    else:
        headers["content-length"] = str(len(reply.body))
    headers |= dict(reply.headers)
    lines = [f"HTTP/1.1 {reply.status} Reply"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
    sent = reply.body[: reply.sent]
    if reply.chunked:
        sent = f"{len(sent):x}\r\n".encode() + sent + b"\r\n"
    step = 1 if reply.pause else len(sent) or 1
    for start in range(0, len(sent), step):
        await asyncio.sleep(reply.pause)
        writer.write(sent[start : start + step])
        await writer.drain()

"""The simulated models behind HTTP: an OpenAI-compatible server on loopback.

`python -m bench.server --world conflicting --seed 0` prints its address and serves until it is
killed: POST /v1/chat/completions, GET /stats, POST /reset.
"""

import asyncio
import json
from contextlib import suppress
from typing import Annotated

import typer
from pydantic import BaseModel, ValidationError

from bench.stats import Monitor, stats_of
from evolith.errors import TransientFailure
from evolith.simulate.draws import Latency
from evolith.simulate.service import Service
from evolith.simulate.world import Kind, World

LARGEST = 2**22
"""Bytes of a request."""
WAITING = 1024
"""Connections that may wait to be accepted."""
Reply = tuple[int, dict[str, object]]


class _Turn(BaseModel):
    role: str
    content: str


class _Asked(BaseModel):
    model: str = "fake-task"
    messages: list[_Turn]


class Server:
    """One world's service, and who looks on.

    Args:
        world: What is served.
        latency: Of a call.
        slots: Calls at once.
        target: The true score whose first appearance is noted.
    """

    def __init__(self, world: World, latency: Latency, slots: int, target: float) -> None:
        self._world, self._latency, self._slots, self._target = world, latency, slots, target
        self.reset()

    def reset(self) -> None:
        """Begin anew: nothing was asked yet."""
        self._service = Service(self._world, self._latency, self._slots)
        self._monitor = Monitor(self._world, self._target)

    async def route(self, method: str, path: str, body: bytes) -> Reply:
        """Answer one request with a status and JSON."""
        match method, path:
            case "POST", "/v1/chat/completions":
                return await self._chat(body)
            case "GET", "/stats":
                return 200, stats_of(self._service, self._monitor)
            case "POST", "/reset":
                self.reset()
                return 200, {"ok": True}
        return 404, {"error": {"message": f"there is nothing at {method} {path}"}}

    async def _chat(self, body: bytes) -> Reply:
        try:
            asked = _Asked.model_validate_json(body)
        except ValidationError as error:
            return 400, {"error": {"message": str(error)}}
        system = "\n".join(turn.content for turn in asked.messages if turn.role == "system")
        user = "\n".join(turn.content for turn in asked.messages if turn.role != "system")
        service, monitor = self._service, self._monitor
        try:
            served = await service.ask(asked.model, system, user)
        except TransientFailure as refused:
            return 429, {"error": {"message": refused.message}}
        if "task" in asked.model:
            monitor.saw(f"{system}\n{user}", served.ended)
        total = served.tokens_in + served.tokens_out
        return 200, {
            "object": "chat.completion",
            "model": asked.model,
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": served.text},
                }
            ],
            "usage": {
                "prompt_tokens": served.tokens_in,
                "completion_tokens": served.tokens_out,
                "total_tokens": total,
            },
        }

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until its client closes it."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
                method, path, _ = head[0].split(" ", 2)
                lengths = [line for line in head if line.startswith("content-length:")]
                length = int(lengths[0].partition(":")[2]) if lengths else 0
                body = await reader.readexactly(length)
                status, data = await self.route(method.upper(), path, body)
                payload = json.dumps(data).encode()
                writer.write(
                    b"HTTP/1.1 %d Reply\r\ncontent-type: application/json\r\n"
                    b"content-length: %d\r\n\r\n%s" % (status, len(payload), payload)
                )
                await writer.drain()
        writer.close()


def serve(
    world: Annotated[Kind, typer.Option(help="Which world.")] = Kind.ADDITIVE,
    seed: Annotated[int, typer.Option(help="Of tasks, answers and latencies.")] = 0,
    port: Annotated[int, typer.Option(help="0 for any that is free.")] = 0,
    mean: Annotated[float, typer.Option(help="Mean seconds of a call.")] = 0.1,
    sigma: Annotated[float, typer.Option(help="Spread of the latency (lognormal).")] = 0.8,
    slots: Annotated[int, typer.Option(help="Calls at once.")] = 32,
    target: Annotated[float, typer.Option(help="True score whose first appearance counts.")] = 0.6,
) -> None:
    """Serve until killed; the first line of the output is the address."""
    server = Server(World(world, seed), Latency(mean, sigma), slots, target)
    asyncio.run(_serve(server, port))


async def _serve(server: Server, port: int) -> None:
    listening = await asyncio.start_server(
        server.connected, "127.0.0.1", port, backlog=WAITING, limit=LARGEST
    )
    print(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", flush=True)
    await listening.serve_forever()


if __name__ == "__main__":
    typer.run(serve)

"""Asks the simulated models over HTTP from many threads, and counts."""

import http.client
import json
import threading
from urllib.parse import urlsplit

from pydantic import BaseModel

PATIENCE = 120.0
"""Seconds for one answer."""


class _Message(BaseModel):
    content: str


class _Choice(BaseModel):
    message: _Message


class _Usage(BaseModel):
    total_tokens: int


class _Completion(BaseModel):
    choices: list[_Choice]
    usage: _Usage


class Stats(BaseModel):
    """What the server says of the calls since it was reset; see `stats.stats_of`."""

    total_latency_s: float = 0.0
    first_true_s: float | None = None


class Client:
    """One connection a thread, kept open.

    Args:
        url: Of the server, without a path.
    """

    def __init__(self, url: str) -> None:
        self._host = urlsplit(url).netloc
        self._local = threading.local()
        self._lock = threading.Lock()
        self._open: list[http.client.HTTPConnection] = []
        self.calls = 0
        """Calls that have ended."""
        self.tokens = 0
        """Tokens of these."""

    def ask(self, system: str, user: str, model: str) -> str:
        """Return what a model answers."""
        turns = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        body = json.dumps({"model": model, "messages": turns})
        done = _Completion.model_validate_json(self._send("POST", "/v1/chat/completions", body))
        with self._lock:
            self.calls += 1
            self.tokens += done.usage.total_tokens
        return done.choices[0].message.content

    def stats(self) -> Stats:
        """Return what the server counted."""
        return Stats.model_validate_json(self._send("GET", "/stats"))

    def reset(self) -> None:
        """Let the server begin anew."""
        self._send("POST", "/reset")

    def close(self) -> None:
        """Close all connections."""
        for connection in self._open:
            connection.close()

    def _send(self, method: str, path: str, body: str | None = None) -> bytes:
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = http.client.HTTPConnection(self._host, timeout=PATIENCE)
            self._local.connection = connection
            self._open.append(connection)
        connection.request(method, path, body, {"content-type": "application/json"})
        response = connection.getresponse()
        data = response.read()
        if response.status != http.client.OK:
            raise RuntimeError(f"{method} {path}: {response.status} {data[:200]!r}")
        return data

"""How a server is reached: proxies and certificates are those of the environment."""

import asyncio
import ssl
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trustme

from evolith.core.messages import Message, Request
from evolith.errors import ProviderError, TransientFailure
from evolith.models.config import ModelConfig
from evolith.models.connection import is_loopback, proxy_for
from evolith.models.openai import OpenAIModel
from evolith.testing.fault_server import completion, serving, status

pytestmark = pytest.mark.anyio
REQUEST = Request((Message("user", "Say yes."),), max_tokens=9)
KEY = "sk-never-to-be-seen-4711"
FAR = "http://llm.example.org/v1"
WHOLE = completion("yes")
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAR_KEY", KEY)
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


async def ask(url: str) -> str:
    model = OpenAIModel(ModelConfig(use="openai:m", base_url=url, api_key_env="FAR_KEY"))
    try:
        return (await model.complete(REQUEST)).text
    finally:
        await model.aclose()


@pytest.mark.parametrize(
    ("variables", "url", "proxy"),
    [
        ({}, FAR, None),
        ({"HTTP_PROXY": "http://p:1"}, FAR, "http://p:1"),
        ({"http_proxy": "p:1"}, FAR, "http://p:1"),
        ({"ALL_PROXY": "http://p:1"}, FAR, "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1"}, FAR, None),
        ({"HTTPS_PROXY": "http://p:1"}, "https://llm.example.org/v1", "http://p:1"),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "example.org"}, FAR, None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "*"}, FAR, None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "other.org"}, FAR, "http://p:1"),
        ({"HTTP_PROXY": "http://p:1"}, "http://127.0.0.1:8000/v1", None),
    ],
)
def test_the_proxy_is_that_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], url: str, proxy: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert proxy_for(url) == proxy


def test_a_proxy_that_cannot_be_used_is_refused_without_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://me:secret@p:1")
    with pytest.raises(ProviderError, match="a proxy of the kind socks5") as refused:
        proxy_for(FAR)
    assert "secret" not in str(refused.value)


async def test_a_call_goes_through_the_proxy_with_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving(WHOLE) as proxy:
        address = proxy.url.removesuffix("/v1")
        monkeypatch.setenv("HTTP_PROXY", address.replace("//", "//me:secret@"))
        assert await ask(FAR) == "yes"
    assert proxy.received[0].path == f"{FAR}/chat/completions"
    headers = proxy.received[0].headers
    assert headers["proxy-authorization"] == f"Basic {b64encode(b'me:secret').decode()}"
    assert headers["authorization"] == f"Bearer {KEY}"


async def test_a_proxy_is_not_told_the_key_of_an_encrypted_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving(status(403, "not there")) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url.removesuffix("/v1"))
        with pytest.raises(TransientFailure, match="no server can be reached") as failed:
            await ask("https://llm.example.org/v1")
    assert not failed.value.billed
    assert proxy.received[0].path == "llm.example.org:443"
    assert KEY not in str(proxy.received)


@asynccontextmanager
async def encrypted(issuer: trustme.CA, name: str) -> AsyncIterator[str]:
    """Serve one answer over TLS, under a certificate for a name; give the address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    issuer.issue_cert(name).configure_cert(context)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        size = len(WHOLE.body)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (size, WHOLE.body))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    async with server:
        yield f"https://localhost:{server.sockets[0].getsockname()[1]}/v1"


@pytest.fixture
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> trustme.CA:
    """Return an issuer that the environment says to trust."""
    issuer = trustme.CA()
    issuer.cert_pem.write_to_path(str(tmp_path / "trusted.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "trusted.pem"))
    return issuer


async def test_certificates_that_the_environment_names_are_trusted(trusted: trustme.CA) -> None:
    async with encrypted(trusted, "localhost") as url:
        assert await ask(url) == "yes"


async def test_an_unknown_certificate_is_not_trusted_and_nothing_is_sent(
    trusted: trustme.CA,
) -> None:
    async with encrypted(trustme.CA(), "localhost") as url:
        with pytest.raises(TransientFailure, match="certificate is not trusted") as failed:
            await ask(url)
    assert not failed.value.billed


async def test_the_certificate_of_another_server_is_not_trusted(trusted: trustme.CA) -> None:
    async with encrypted(trusted, "other.example.org") as url:
        with pytest.raises(TransientFailure, match="certificate is not trusted"):
            await ask(url)


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("http://localhost:1/v1", True),
        ("http://a.localhost/v1", True),
        ("http://127.8.0.1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://localhost.example.org/v1", False),
        ("http://10.0.0.1/v1", False),
    ],
)
def test_only_addresses_of_this_machine_are_its_own(url: str, *, own: bool) -> None:
    assert is_loopback(url) is own

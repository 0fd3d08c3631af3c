"""Any OpenAI-compatible server, through the official client."""

import ipaddress
import os
from dataclasses import replace
from typing import cast
from urllib.parse import urlsplit

import anyio
import openai
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from openai.types.chat import ChatCompletionMessageParam

from evolith.core.messages import Request, Response
from evolith.errors import ProviderError, TransientFailure
from evolith.models.body import body_of, is_wrapped
from evolith.models.config import OPENAI_URL, ModelConfig
from evolith.models.reply import chosen, read_reply
from evolith.models.status import failure_of, unreachable
from evolith.models.tokens import most_tokens_in

NO_KEY = "none"
"""What is sent as the key where none is set: servers on one's own machine mostly ask for none."""
TO_CONNECT = 10.0
"""Seconds for a connection to be made, which is within the time of one try."""


class OpenAIModel:
    """A chat model behind HTTP. It asks once; waiting and trying again is not its affair.

    Args:
        config: How it is reached.
    """

    remote = True

    def __init__(self, config: ModelConfig) -> None:
        self.name = config.use
        self._config = config
        self._key = ""
        self._client: AsyncOpenAI | None = None

    def most_tokens_in(self, request: Request) -> int:
        """Return a bound on the prompt tokens, by the bytes of what is asked."""
        return most_tokens_in(request)

    async def complete(self, request: Request) -> Response:
        """Ask once, within the total time of one try.

        Raises:
            ProviderError: there is no key, or the server refuses the run.
            ModelFailure: there is no whole answer.
        """
        body = await self._ask(self._open(), request)
        if self._key:  # a server that repeats the headers must not put it into the archive
            body = body.replace(self._key.encode(), b"[key]")
        response = read_reply(body, request)
        if is_wrapped(self._config, request):
            return replace(response, text=chosen(response.text))
        return response

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _ask(self, client: AsyncOpenAI, request: Request) -> bytes:
        try:
            # The client's own limit is for each read, so a server that drips could hold it forever.
            with anyio.fail_after(self._config.timeout):
                raw = await client.chat.completions.with_raw_response.create(
                    model=self._config.model,
                    messages=cast(
                        "list[ChatCompletionMessageParam]",
                        [{"role": m.role, "content": m.content} for m in request.messages],
                    ),
                    extra_body=body_of(self._config, request),
                )
                return raw.content
        except TimeoutError:
            raise TransientFailure(
                f"no whole answer came within {self._config.timeout:g} seconds", billed=True
            ) from None
        except openai.APIStatusError as error:
            raise failure_of(error, self._config, self._key) from None
        except openai.APIConnectionError as error:
            raise unreachable(error, self._config) from None

    def _open(self) -> AsyncOpenAI:
        if self._client is None:
            url = self._config.base_url or OPENAI_URL
            self._key = self._find_key(url)
            limits = openai.Timeout(self._config.timeout, connect=TO_CONNECT)
            # A proxy for the outside world does not know the servers on this machine.
            own = DefaultAsyncHttpxClient(trust_env=False) if is_loopback(url) else None
            self._client = AsyncOpenAI(
                api_key=self._key or NO_KEY,
                base_url=url,
                max_retries=0,  # the retrier's affair, which makes everybody wait and counts money
                timeout=limits,
                http_client=own,
            )
        return self._client

    def _find_key(self, url: str) -> str:
        named = "api_key_env" in self._config.model_fields_set
        host = urlsplit(url).hostname or ""
        if not named and not is_loopback(url) and not host.endswith("openai.com"):
            raise ProviderError(
                f"{host} would be sent the key in {self._config.api_key_env}, which is OpenAI's",
                where="models",
                fix=f"name the variable that holds the key for {host} in api_key_env",
            )
        key = os.environ.get(self._config.api_key_env, "").strip()
        if key or is_loopback(url):
            return key
        raise ProviderError(
            f"there is no key for {self.name}: {self._config.api_key_env} is not set",
            where="models",
            fix=f"export {self._config.api_key_env}=..., or name another variable in api_key_env",
        )


def is_loopback(url: str) -> bool:
    """Say whether an address is on this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

"""Any OpenAI-compatible server, through the official client."""

import ipaddress
import json
import os
from typing import Any
from urllib.parse import urlsplit

import anyio
import openai
from openai import AsyncOpenAI

from evolith.core.messages import Request, Response
from evolith.errors import MalformedResponse, ProviderError, TransientFailure
from evolith.models.config import ModelConfig
from evolith.models.reply import read_reply
from evolith.models.status import failure_of

MESSAGE_TOKENS = 16
"""What a chat template adds to a message, generously."""
PROMPT_TOKENS = 64
"""What a server may add to a prompt, such as a default system message."""


class OpenAIModel:
    """A chat model behind HTTP. It asks once; waiting and trying again is not its affair.

    Args:
        config: How it is reached.
    """

    remote = True

    def __init__(self, config: ModelConfig) -> None:
        self.name = config.use
        self._config = config
        self._client: AsyncOpenAI | None = None

    def most_tokens_in(self, request: Request) -> int:
        """Return a bound on the prompt tokens: no tokenizer makes more tokens than bytes."""
        schema = "" if request.json_schema is None else json.dumps(dict(request.json_schema))
        texts = [turn.content for turn in request.messages]
        size = sum(len(text.encode("utf-8", "surrogatepass")) for text in [*texts, schema])
        choices = sum(len(choice.encode("utf-8", "surrogatepass")) for choice in request.choices)
        return size + choices + MESSAGE_TOKENS * len(request.messages) + PROMPT_TOKENS

    async def complete(self, request: Request) -> Response:
        """Ask once, within the total time of one try."""
        client = self._open()
        try:
            # The client's own limit is for each read, so a server that drips could hold it forever.
            with anyio.fail_after(self._config.timeout):
                raw = await client.chat.completions.with_raw_response.create(**self._body(request))
                text = raw.http_response.text
        except TimeoutError:
            raise TransientFailure(
                f"no complete answer within {self._config.timeout:g} seconds", billed=True
            ) from None
        except openai.APIStatusError as error:
            raise failure_of(error, self._config) from None
        except openai.APIConnectionError as error:
            raise self._unreachable(error) from None
        except (openai.OpenAIError, ValueError) as error:
            raise MalformedResponse(f"the client cannot read the answer: {error}") from None
        return read_reply(text, request)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _open(self) -> AsyncOpenAI:
        if self._client is None:
            self._client = AsyncOpenAI(
                api_key=self._key(), base_url=self._config.base_url, max_retries=0, timeout=None
            )
        return self._client

    def _key(self) -> str:
        key = os.environ.get(self._config.api_key_env, "").strip()
        if key:
            return key
        if self._config.base_url is not None and _is_loopback(self._config.base_url):
            return "none"  # servers on one's own machine mostly want none, but the client does
        raise ProviderError(
            f"there is no key for {self.name}: {self._config.api_key_env} is not set",
            where="models",
            fix=f"export {self._config.api_key_env}=..., or name another variable in api_key_env",
        )

    def _body(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._config.model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            self._config.token_limit: request.max_tokens,
        }
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.seed is not None:
            body["seed"] = request.seed
        if request.stop:
            body["stop"] = list(request.stop)
        if self._config.structured and (schema := _schema(request)) is not None:
            shape = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        return body

    def _unreachable(self, error: openai.APIConnectionError) -> TransientFailure:
        address = self._config.base_url or "OpenAI"
        cause = error.__cause__
        reason = f" ({type(cause).__name__})" if cause is not None else ""
        # Once a request was sent it may be billed, also when the answer is lost on its way.
        refused = cause is not None and type(cause).__name__ in ("ConnectError", "ConnectTimeout")
        return TransientFailure(f"the connection to {address} failed{reason}", billed=not refused)


def _schema(request: Request) -> dict[str, object] | None:
    if request.json_schema is not None:
        return dict(request.json_schema)
    if request.choices:
        return {"type": "string", "enum": list(request.choices)}
    return None


def _is_loopback(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

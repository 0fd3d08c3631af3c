"""Any OpenAI-compatible server, over HTTP."""

import os
from dataclasses import replace
from importlib.metadata import version
from urllib.parse import urlsplit

import anyio
from aiohttp import ClientError, ClientSession

from evolith.core.messages import Request, Response
from evolith.errors import ProviderError, TransientFailure
from evolith.models.body import body_of, is_wrapped
from evolith.models.config import OPENAI_URL, ModelConfig
from evolith.models.connection import is_loopback, open_session
from evolith.models.reply import chosen, read_reply
from evolith.models.status import Refusal, failure_of, unreachable
from evolith.models.tokens import most_tokens_in

NO_KEY = "none"
"""What is sent as the key where none is set: servers on one's own machine mostly ask for none."""
ACCOUNT = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
"""Headers that tell OpenAI on whose account a call is, with the variables that hold them."""
SUCCESS = range(200, 300)
"""Statuses of an answer."""


class OpenAIModel:
    """A chat model behind HTTP. It asks once; waiting and trying again is not its affair.

    Args:
        config: How it is reached.
    """

    remote = True

    def __init__(self, config: ModelConfig) -> None:
        self.name = config.use
        self._config = config
        self._server = config.base_url or OPENAI_URL
        self._url = f"{self._server.rstrip('/')}/chat/completions"
        self._key = ""
        self._headers: dict[str, str] = {}
        self._session: ClientSession | None = None

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
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    async def _ask(self, session: ClientSession, request: Request) -> bytes:
        try:
            # The time is for the whole try, so that a server that drips cannot hold it forever.
            with anyio.fail_after(self._config.timeout):
                asked = body_of(self._config, request)
                async with session.post(self._url, data=asked, headers=self._headers) as reply:
                    body = await reply.read()
        except ClientError as error:  # first, since some are a TimeoutError as well
            raise unreachable(error, self._config) from None
        except TimeoutError:
            raise TransientFailure(
                f"no whole answer came within {self._config.timeout:g} seconds", billed=True
            ) from None
        if reply.status in SUCCESS:
            return body
        raise failure_of(Refusal(reply.status, reply.headers, body), self._config, self._key)

    def _open(self) -> ClientSession:
        if self._session is None:
            self._key = self._find_key()
            self._headers = self._say()
            self._session = open_session(self._server)
        return self._session

    def _say(self) -> dict[str, str]:
        """Return what each request says besides its body."""
        headers = {
            "Authorization": f"Bearer {self._key or NO_KEY}",
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": f"evolith/{version('evolith')}",
        }
        told = ACCOUNT if _is_openai(self._server) else {}
        account = {name: os.environ.get(variable) for name, variable in told.items()}
        return headers | {name: value for name, value in account.items() if value}

    def _find_key(self) -> str:
        variable, own = self._config.api_key_env, is_loopback(self._server)
        named = "api_key_env" in self._config.model_fields_set
        host = urlsplit(self._server).hostname or ""
        if not named and not own and not _is_openai(self._server):
            raise ProviderError(
                f"{host} would be sent the key in {variable}, which is OpenAI's",
                where="models",
                fix=f"name the variable that holds the key for {host} in api_key_env",
            )
        key = os.environ.get(variable, "").strip()
        if not key and not own:
            raise ProviderError(
                f"there is no key for {self.name}: {variable} is not set",
                where="models",
                fix=f"export {variable}=..., or name another variable in api_key_env",
            )
        if not key.isascii() or not key.isprintable():
            raise ProviderError(
                f"{variable} holds a line break or another character that no key has",
                where="models",
                fix=f"export {variable} anew, with nothing but the key",
            )
        return key


def _is_openai(url: str) -> bool:
    return (urlsplit(url).hostname or "").endswith("openai.com")

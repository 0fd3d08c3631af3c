"""The model as the user's function sees it: text goes in, text comes out, all of it metered."""

import threading
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal, TypedDict, Unpack, cast, get_args

from anyio import from_thread
from anyio.lowlevel import EventLoopToken, current_token

from evolith.core.messages import Message, Request
from evolith.core.ports import Chat
from evolith.errors import EvolithError

Prompt = str | Sequence[Mapping[str, str]]
"""A question, or chat turns `{"role": "user", "content": "..."}`, oldest first."""
Speaker = Literal["system", "user", "assistant"]


class Options(TypedDict, total=False):
    """What a call may set; see `ModelClient`."""

    max_tokens: int
    temperature: float
    stop: Sequence[str]
    choices: Sequence[str]
    json_schema: Mapping[str, object]


class ModelClient:
    """The model for an async function: `answer = await chat("2 + 2?", max_tokens=10)`.

    Args:
        chat: The metered model.
        max_tokens: Most tokens of an answer, unless a call says otherwise.
        temperature: Sampling temperature, unless a call says otherwise.
    """

    def __init__(self, chat: Chat, max_tokens: int, temperature: float) -> None:
        self._chat, self._max_tokens, self._temperature = chat, max_tokens, temperature
        self._talks: list[list[Message]] = []

    async def __call__(
        self,
        prompt: Prompt,
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        stop: Sequence[str] = (),
        choices: Sequence[str] = (),
        json_schema: Mapping[str, object] | None = None,
    ) -> str:
        """Ask the model and return its answer.

        Args:
            prompt: A question, or chat turns.
            max_tokens: Most tokens of the answer.
            temperature: Sampling temperature.
            stop: Texts at which the answer ends.
            choices: The answer must be one of these, where the server can do that.
            json_schema: The answer must be JSON of this schema, where the server can do that.

        Raises:
            EvolithError: the prompt is no text and no list of turns; or what the model's failure,
                an exhausted budget or a stop of the run raises. Let these pass.
        """
        messages = _messages(prompt)
        talk = list(messages)
        self._note(talk)
        response = await self._chat(
            Request(
                messages,
                max_tokens=self._max_tokens if max_tokens is None else max_tokens,
                temperature=self._temperature if temperature is None else temperature,
                stop=tuple(stop),
                choices=tuple(choices),
                json_schema=json_schema,
            )
        )
        talk.append(Message("assistant", response.text))
        return response.text

    @property
    def turns(self) -> tuple[Message, ...]:
        """Everything said so far, in the order in which the calls began."""
        return tuple(message for talk in self._talks for message in talk)

    def _note(self, talk: list[Message]) -> None:
        """Keep a talk; one that goes on from the last takes its place, so nothing stands twice."""
        last = self._talks[-1] if self._talks else []
        if last and talk[: len(last)] == last:
            self._talks.pop()
        self._talks.append(talk)


class BlockingModelClient:
    """The model for a plain function: `answer = chat("2 + 2?", max_tokens=10)`.

    It may be called from any thread that the function starts.

    Args:
        client: What does the work, on the event loop that is running now.
    """

    def __init__(self, client: ModelClient) -> None:
        self._client = client
        self._token: EventLoopToken = current_token()
        self._loop_thread = threading.get_ident()

    def __call__(self, prompt: Prompt, **options: Unpack[Options]) -> str:
        """Ask the model and return its answer.

        Raises:
            EvolithError: as of `ModelClient`; or the call would block the event loop.
        """
        if threading.get_ident() == self._loop_thread:
            raise EvolithError(
                "the model is called from async code inside a function that is not async",
                fix="declare the function with async def, and await chat(...)",
            )
        return from_thread.run(partial(self._client, prompt, **options), token=self._token)


def _messages(prompt: Prompt) -> tuple[Message, ...]:
    if isinstance(prompt, str):
        return (Message("user", prompt),)
    turns = tuple(_message(turn) for turn in prompt)
    if not turns:
        raise EvolithError("the model is asked nothing: the list of turns is empty")
    return turns


def _message(turn: object) -> Message:
    role, content = None, None
    if isinstance(turn, Mapping):
        role, content = turn.get("role"), turn.get("content")
    if role not in get_args(Speaker) or not isinstance(content, str):
        raise EvolithError(
            f"{turn!r} is no chat turn",
            fix='write {"role": "user", "content": "..."}; a role is system, user or assistant',
        )
    return Message(cast("Speaker", role), content)

"""What is sent to a model and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from evolith.core.ids import canonical_json, content_hash


class Role(StrEnum):
    """What a model is used for. Each role may have its own model, and is accounted apart."""

    TASK = "task"
    REFLECT = "reflect"
    JUDGE = "judge"
    MUTATE = "mutate"
    REPAIR = "repair"


@dataclass(frozen=True, slots=True)
class Message:
    """One chat turn."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """A chat completion to ask for.

    Args:
        messages: The turns, oldest first.
        max_tokens: The most tokens the answer may have; reserved in the budget beforehand.
        temperature: Sampling temperature; None leaves it to the server.
        seed: Sampling seed for servers that take one.
        stop: Texts at which the answer ends.
        choices: The answer must be one of these, where the model can be held to it.
        json_schema: The answer must be JSON of this schema, where the model can be held to it.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    json_schema: Mapping[str, object] | None = None

    def dump(self) -> str:
        """Return everything that is asked as canonical JSON."""
        return canonical_json(
            {
                "messages": [[turn.role, turn.content] for turn in self.messages],
                "max_tokens": self.max_tokens,
                "temperature": self.temperature,
                "seed": self.seed,
                "stop": self.stop,
                "choices": self.choices,
                "json_schema": self.json_schema,
            }
        )

    @property
    def hash(self) -> str:
        """SHA-256 of `dump()`."""
        return content_hash(self.dump())


@dataclass(frozen=True, slots=True)
class Response:
    """A complete answer: the server said it had ended by itself.

    Args:
        text: The answer.
        tokens_in: Prompt tokens charged.
        tokens_out: Completion tokens charged.
        estimated: The server gave no usage, so the tokens are an estimate.
    """

    text: str
    tokens_in: int
    tokens_out: int
    estimated: bool = False

"""`prompt`: one call of the model, made of the artifact's prompt, demonstrations and format."""

from collections.abc import Collection, Mapping
from typing import Literal

from pydantic import Field, JsonValue, field_validator, model_validator

from evolith.agents import demos
from evolith.agents.demos import Demo, read_demos
from evolith.agents.template import Template
from evolith.core.artifact import Artifact
from evolith.core.messages import Message, Request
from evolith.core.ports import Chat
from evolith.core.rollout import Trajectory
from evolith.core.settings import Settings
from evolith.core.task import Task, Value
from evolith.errors import ArtifactError, ConfigError, did_you_mean

PROMPT, FORMAT = "prompt.md", "format.md"
PATHS = (PROMPT, demos.PATH, FORMAT)
"""What an artifact of this agent may hold."""


class PromptAgentConfig(Settings):
    """One call of the task model.

    `prompt.md` and `format.md` are the system message, the lines of `demos.jsonl` are turns before
    the task.
    """

    kind: Literal["prompt"] = "prompt"
    """Renders the artifact into one chat request."""
    template: str = "{input}"
    """How a task is written: `{input}` and the names of visible fields in braces."""
    max_tokens: int = Field(default=256, ge=1)
    """Most tokens of an answer."""
    temperature: float = Field(default=0.0, ge=0, le=2)
    """Sampling temperature of the task model."""
    stop: tuple[str, ...] = ()
    """Texts at which an answer ends."""
    structured: Literal["none", "choice", "json"] = "none"
    """Holds the answer to one of `options` (`choice`) or to `json_schema` (`json`), where the
    model's server can do that."""
    options: tuple[str, ...] = ()
    """The answers that `structured = "choice"` allows."""
    json_schema: dict[str, JsonValue] | None = None
    """The JSON Schema that `structured = "json"` asks for."""

    @field_validator("template")
    @classmethod
    def _readable(cls, template: str) -> str:
        Template.parse(template)
        return template

    @model_validator(mode="after")
    def _structure_is_complete(self) -> "PromptAgentConfig":
        for kind, key in (("choice", "options"), ("json", "json_schema")):
            given, wanted = bool(getattr(self, key)), self.structured == kind
            if given != wanted:
                what = "is missing" if wanted else "has no effect"
                raise ConfigError(
                    f'{key} {what}, since structured is "{self.structured}"',
                    where=f"agent.{key}",
                    fix=f'give both structured = "{kind}" and {key}, or neither',
                )
        return self


class PromptAgent:
    """Renders the artifact and a task into one request.

    Args:
        config: Its settings.
        fields: Names of the fields of the tasks that the agent may see.

    Raises:
        ConfigError: the template names a field that the agent may not see.
    """

    def __init__(self, config: PromptAgentConfig, fields: Collection[str]) -> None:
        self._config = config
        self._template = Template.parse(config.template)
        self._template.check(["input", *fields])

    def check(self, artifact: Artifact) -> None:
        """Refuse an artifact that cannot be rendered.

        Raises:
            ArtifactError: an unknown file, a bad demonstration, or nothing in any file.
        """
        for path in artifact:
            if path not in PATHS:
                raise ArtifactError(
                    "this agent has no use for the file", where=path, fix=did_you_mean(path, PATHS)
                )
        if not any(text.strip() for _, text in artifact.files):
            raise ArtifactError(
                "the artifact holds no text", where=PROMPT, fix=f"write a prompt into {PROMPT}"
            )
        for number, demo in enumerate(self._demos(artifact), start=1):
            for name in self._template.names:
                if name not in _values(demo):
                    raise ArtifactError(
                        f"demonstration {number} has no field {name}, which the template names",
                        where=demos.PATH,
                        fix=f'add "fields": {{"{name}": ...}} to it',
                    )

    async def run(self, artifact: Artifact, task: Task, chat: Chat) -> Trajectory:
        """Ask the model once; its answer is the output."""
        turns = (*self._before(artifact), Message("user", self._render(task.sealed())))
        response = await chat(
            Request(
                turns,
                max_tokens=self._config.max_tokens,
                temperature=self._config.temperature,
                stop=self._config.stop,
                choices=self._config.options,
                json_schema=self._config.json_schema,
            )
        )
        return Trajectory(response.text, (*turns, Message("assistant", response.text)))

    def _before(self, artifact: Artifact) -> list[Message]:
        parts = ((artifact.get(path) or "").strip() for path in (PROMPT, FORMAT))
        system = "\n\n".join(part for part in parts if part)
        turns = [Message("system", system)] if system else []
        for demo in self._demos(artifact):
            turns += [Message("user", self._render(demo)), Message("assistant", demo.output)]
        return turns

    def _demos(self, artifact: Artifact) -> list[Demo]:
        return read_demos(artifact.get(demos.PATH) or "")

    def _render(self, shown: Task | Demo) -> str:
        return self._template.render(_values(shown))


def _values(shown: Task | Demo) -> Mapping[str, Value]:
    return {**shown.fields, "input": shown.input}

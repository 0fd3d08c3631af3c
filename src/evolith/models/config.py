"""The `[models]` table of the config: which model each role uses, and how it is reached."""

from decimal import Decimal
from typing import Literal

from pydantic import Field, field_validator

from evolith.core.messages import Role
from evolith.core.settings import Settings

KINDS = ("openai", "local", "scripted", "function")
"""What may stand before the colon in `use`."""


class PriceConfig(Settings):
    """US dollars for a million tokens."""

    tokens_in: Decimal = Field(ge=0)
    """For a million prompt tokens."""
    tokens_out: Decimal = Field(ge=0)
    """For a million completion tokens."""


class ModelConfig(Settings):
    """A model and how it is asked."""

    use: str
    """`openai:MODEL` for any OpenAI-compatible server, `local:smollm2` or `local:FILE.gguf` in this
    process, `scripted:FILE.jsonl` or `function:MODULE:FUNCTION` for tests."""
    base_url: str | None = None
    """Address of the server, such as `http://127.0.0.1:11434/v1`; OpenAI's own unless given."""
    api_key_env: str = "OPENAI_API_KEY"
    """Environment variable that holds the key. The key itself is never stored."""
    timeout: float = Field(default=120, gt=0)
    """Seconds that one try may take in all."""
    retries: int = Field(default=4, ge=0)
    """Further tries after a fault that may pass."""
    concurrency: int = Field(default=64, ge=1)
    """Most calls at once."""
    token_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105 - no password
    """Name of the field that bounds the answer; reasoning models of OpenAI take the second."""
    structured: bool = False
    """Whether the server can hold an answer to choices or to a JSON Schema (`response_format`)."""
    free: bool = False
    """The model costs nothing, for example since it runs on one's own machine."""
    price: PriceConfig | None = None
    """Its price, where the price table does not know it."""

    @field_validator("use")
    @classmethod
    def _known_kind(cls, use: str) -> str:
        kind, _, name = use.partition(":")
        if kind not in KINDS or not name:
            ways = "openai:MODEL, local:smollm2, local:FILE.gguf, scripted:FILE, function:MOD:FUNC"
            raise ValueError(f"{use!r} names no model; write one of {ways}")
        return use

    @property
    def kind(self) -> str:
        """What stands before the colon."""
        return self.use.partition(":")[0]

    @property
    def model(self) -> str:
        """What stands after the colon."""
        return self.use.partition(":")[2]


class ModelsConfig(Settings):
    """The model of each role; a role that is left out uses the task model."""

    task: str | ModelConfig
    """Answers the tasks."""
    reflect: str | ModelConfig | None = None
    """Rewrites prompts from feedback."""
    judge: str | ModelConfig | None = None
    """Judges answers, for the scorer `judge`."""
    mutate: str | ModelConfig | None = None
    """Edits artifacts as an agent."""
    repair: str | ModelConfig | None = None
    """Repairs stale changes."""

    @field_validator("task", "reflect", "judge", "mutate", "repair")
    @classmethod
    def _settings(cls, model: str | ModelConfig | None) -> ModelConfig | None:
        return ModelConfig(use=model) if isinstance(model, str) else model

    def of(self, role: Role) -> ModelConfig:
        """Return the settings of a role's model."""
        found = getattr(self, role.value) or self.task
        assert isinstance(found, ModelConfig)
        return found

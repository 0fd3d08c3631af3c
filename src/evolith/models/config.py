"""The `[models]` table of the config: which model each role uses, and how it is reached."""

import re
from decimal import Decimal
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from evolith.core.messages import Role
from evolith.core.settings import Settings

KINDS = ("openai", "local", "scripted", "function")
"""What may stand before the colon in `use`."""
FOR_SERVERS = ("base_url", "api_key_env", "structured")
"""Settings that mean something only where a server is asked."""
OPENAI_URL = "https://api.openai.com/v1"
VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")
"""A name of an environment variable, and hardly ever a key pasted by mistake."""


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
    """Environment variable that holds the key. The key itself is never stored. A server that is
    neither OpenAI's nor on this machine must be given one by name."""
    timeout: float = Field(default=120, gt=0, allow_inf_nan=False)
    """Seconds that one try may take in all."""
    retries: int = Field(default=4, ge=0, le=20)
    """Further tries after a fault that may pass. A refusal that says how long to wait counts only
    where no other call is answered meanwhile."""
    concurrency: int = Field(default=64, ge=1)
    """Most calls at once; fewer for a while after the server refused one as too many. A `local:`
    model makes one at a time in any case."""
    requests_per_minute: int | None = Field(default=None, ge=1)
    """Requests that the server takes in a minute. Calls are then spaced so that none is refused;
    without it, the limit is learned from refusals. All models under one key at one server share the
    smallest that any of them states."""
    tokens_per_minute: int | None = Field(default=None, ge=1)
    """Prompt and completion tokens that the server takes in a minute, shared in the same way."""
    structured: Literal["none", "openai", "vllm", "llama.cpp"] = "none"
    """How the server is held to choices or to a JSON Schema: `openai` by `response_format`, which
    most servers know; `vllm` and `llama.cpp` by their own fields, where the model answers with the
    bare choice; `none` not at all. A `local:` model is always held to them."""
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

    @field_validator("base_url")
    @classmethod
    def _plain_address(cls, url: str | None) -> str | None:
        if url is None:
            return None
        try:
            parts = urlsplit(url)
            usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:  # brackets or port
            usable = False
        if not usable:
            raise ValueError("this is no address of a server; write http://HOST:PORT/v1")
        if parts.username or parts.password or parts.query:
            raise ValueError(
                "the address holds a name, a password or a query, which may be secret; "
                "put the key into the variable that api_key_env names"
            )
        return url

    @field_validator("api_key_env")
    @classmethod
    def _variable(cls, name: str) -> str:
        if not VARIABLE.fullmatch(name):
            raise ValueError(
                "this names no environment variable; give its name, in capitals, not the key itself"
            )
        return name

    @model_validator(mode="after")
    def _all_used(self) -> "ModelConfig":
        for name in FOR_SERVERS:
            default = type(self).model_fields[name].default
            if self.kind != "openai" and getattr(self, name) != default:
                raise ValueError(f"{name} means nothing to {self.use}; remove it")
        if self.free and self.price is not None:
            raise ValueError("a model is either free or has a price; remove one of the two")
        return self

    @property
    def kind(self) -> str:
        """What stands before the colon."""
        return self.use.partition(":")[0]

    @property
    def model(self) -> str:
        """What stands after the colon."""
        return self.use.partition(":")[2]

    @property
    def provider(self) -> str:
        """Whose rate limit its calls count against: a key at a server, or the model itself."""
        if self.kind == "openai":
            return f"{self.api_key_env} at {self.base_url or OPENAI_URL}"
        return self.use


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

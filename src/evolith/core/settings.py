"""The base of every part of the config: frozen, and with no unknown keys."""

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """A table of the config file. A field's description is its line in the reference."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

"""What every event has: a kind, a key, and whether it counts for the archive hash."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Event(BaseModel):
    """Something that happened. `key` is unique in a run: the same thing is never recorded twice."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    session: ClassVar[bool] = False
    """Whether the event belongs to a session and stays out of the archive hash."""

    @property
    def key(self) -> str:
        """What the event is about."""
        raise NotImplementedError

    @property
    def ends(self) -> str | None:
        """The key of the model call that is not under way any more, or None."""
        return None

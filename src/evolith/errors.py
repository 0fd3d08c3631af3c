"""Every error that Evolith raises on purpose, in one tree.

EvolithError                    exit code, what happened, where, what to do
├── UsageError              2   the call, a file or a setting is wrong; nothing was started
│   ├── ConfigError             the config: unknown key, wrong value
│   ├── TasksError              the task file: line, field, encoding, split
│   └── ArtifactError           the seed or an edit of it
├── ArchiveError            3   the run's archive is damaged, locked, full, or of another version
├── ProviderError           4   a model's server refuses the run: key, quota, address
├── RunStopped              5   the run stopped early and can be resumed
│   ├── BudgetExceeded          the next call does not fit into the budget
│   └── Drained                 a stop was asked for
├── UserCodeFailed          6   the user's agent or scorer fails on everything; the run can go on
└── ModelFailure            -   one call failed; recorded as data, the run goes on
    ├── TransientFailure        network, 408, 409, 429, 5xx: tried again by rule, then recorded
    ├── MalformedResponse       the server answered something that is no completion
    ├── TruncatedResponse       the answer was cut: by length, by a filter or by the connection
    └── RefusedRequest          the server refuses this one request, for example as too long

A failure of one rollout is data, not a crash: it is attributed to one `Boundary` and recorded.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from enum import StrEnum

LISTED = 8
"""Known names that a message lists at most."""


class Boundary(StrEnum):
    """Whose fault a failure is. An infrastructure failure is not a wrong answer."""

    PROVIDER = "provider"
    HARNESS = "harness"
    SANDBOX = "sandbox"
    TASK = "task"
    SCORER = "scorer"
    OPERATOR = "operator"


class EvolithError(Exception):
    """An error with its cause and its cure.

    Args:
        message: What happened, in one sentence without a full stop.
        where: The file and line, the key or the address concerned.
        fix: What the reader can do about it.
    """

    exit_code = 1

    def __init__(self, message: str, *, where: str = "", fix: str = "") -> None:
        self.message, self.where, self.fix = message, where, fix
        super().__init__(message)

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        fix = f"\n  {self.fix[:1].upper()}{ended(self.fix[1:])}" if self.fix else ""
        return f"{where}{ended(self.message)}{fix}"


class UsageError(EvolithError):
    """The call, a file or a setting is wrong. Nothing was started."""

    exit_code = 2


class ConfigError(UsageError):
    """A key or value of the config is wrong."""


class TasksError(UsageError):
    """A task file cannot be used."""


class ArtifactError(UsageError):
    """The seed artifact, or an edit of it, is not acceptable."""


class ArchiveError(EvolithError):
    """The archive of a run is damaged, locked by another process, full, or of another version."""

    exit_code = 3


class ProviderError(EvolithError):
    """A model's server refuses the whole run: wrong key, no quota, no such address or model."""

    exit_code = 4


class RunStopped(EvolithError):  # noqa: N818 - a stop is no error
    """The run stopped before its end and can be resumed."""

    exit_code = 5


class BudgetExceeded(RunStopped):
    """The next call does not fit into what is left of the budget."""


class Drained(RunStopped):
    """A stop was asked for; what was under way is finished and recorded."""


class UserCodeFailed(EvolithError):  # noqa: N818 - says what happened
    """The user's agent or scorer fails on one rollout after another. The run can be resumed."""

    exit_code = 6


class ModelFailure(EvolithError):  # noqa: N818 - data, recorded with its boundary
    """One model call failed. The run records it and goes on."""

    boundary = Boundary.PROVIDER


class TransientFailure(ModelFailure):
    """A fault that may pass: the network, 408, 409, 429 or 5xx.

    Args:
        message: What happened.
        retry_after: Seconds that the server asked everyone to wait, or None.
        billed: Whether the provider may have charged for the call.
        busy: Whether the server has more calls than it takes, as whoever asks to wait has.
    """

    def __init__(
        self,
        message: str,
        *,
        retry_after: float | None = None,
        billed: bool = False,
        busy: bool = False,
    ) -> None:
        super().__init__(message)
        self.retry_after, self.billed = retry_after, billed
        self.busy = busy or retry_after is not None


class MalformedResponse(ModelFailure):
    """The server answered 200 with something that is no completion."""


class TruncatedResponse(ModelFailure):
    """The answer was cut: by the token limit, by a content filter or by the connection.

    Args:
        message: What happened.
        tokens: Prompt and completion tokens that were charged all the same, or None.
    """

    def __init__(self, message: str, *, tokens: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.tokens = tokens


class RefusedRequest(ModelFailure):
    """The server refuses this request, for example because it is too long for the model."""


def ended(text: str) -> str:
    """Return a sentence with its full stop; what others have said may have one already."""
    text = text.rstrip()
    return text if text.endswith((".", "!", "?", "\N{HORIZONTAL ELLIPSIS}")) else f"{text}."


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a fix for an unknown name: the nearest known one, and what there is.

    Args:
        name: What was given.
        known: What it could have been.
    """
    by_lower = {word.lower(): word for word in known}
    if not by_lower:
        return "there is none to choose from"
    words = list(by_lower.values())
    listing = ", ".join(words[:LISTED]) + (", ..." if len(words) > LISTED else "")
    near = get_close_matches(name.lower(), by_lower, n=1)
    return f"did you mean {by_lower[near[0]]}? There is {listing}" if near else f"use {listing}"

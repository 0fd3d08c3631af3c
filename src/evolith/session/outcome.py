"""How a session ended."""

from dataclasses import dataclass
from pathlib import Path

FINISHED = "finished"
"""The reason of a session in which the search came to its own end."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a session.

    Args:
        run_dir: The run's folder.
        reason: `finished`, `budget:tokens`, `budget:money`, `budget:rollouts`, `budget:seconds`,
            `drained` or `aborted`.
        message: One sentence for a reader.
        complete: Whether there is a champion and, where there is a test split, it was run.
    """

    run_dir: Path
    reason: str
    message: str
    complete: bool

    @property
    def exit_code(self) -> int:
        """0 when the run is complete, 130 when it was aborted, 5 when it should be resumed."""
        if self.reason == "aborted":
            return 130
        return 0 if self.complete else 5

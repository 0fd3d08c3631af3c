"""Where commands write to: standard output, and standard error, which may come to nothing."""

import os
import sys
from typing import IO, TextIO, cast

from rich.console import Console


class Output(Console):
    """Standard output. A reader that has seen enough, such as `head`, ends the command."""

    def on_broken_pipe(self) -> None:
        """Let `main` end the command without a word."""
        raise BrokenPipeError


class Unheard:
    """A stream that never fails: a run must not end because nobody can read of its progress.

    Args:
        stream: What is written to while that works, such as standard error.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.encoding = stream.encoding
        self.isatty = stream.isatty
        self.fileno = stream.fileno

    def write(self, text: str) -> int:
        """Write, or do nothing."""
        try:
            self._stream.write(text)
        except OSError:
            self._give_up()
        return len(text)

    def flush(self) -> None:
        """Flush, or do nothing."""
        try:
            self._stream.flush()
        except OSError:
            self._give_up()

    def _give_up(self) -> None:
        """Lead the stream to nowhere, so that what it holds back does not fail later."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


def aside() -> IO[str]:
    """Return standard error, for progress and error messages."""
    return cast("IO[str]", Unheard(sys.stderr))

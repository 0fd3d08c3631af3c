"""What `verify` finds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is broken in an archive.

    Args:
        what: What is wrong, in one sentence without a full stop.
        where: The file, event or blob concerned.
        fix: What the reader can do about it.
    """

    what: str
    where: str
    fix: str

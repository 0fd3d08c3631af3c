"""With which code each command ends: the one table of them."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What a script can tell from the code of an `evolith` command.

    The classes in `evolith.errors` and `evolith.session.Outcome` carry the same numbers.
    """

    DONE = 0
    """The command did what was asked. A run is done when its champion is known and tested."""
    BUG = 1
    """A fault of Evolith itself."""
    USAGE = 2
    """The call, a file or a setting is wrong. Nothing was started."""
    ARCHIVE = 3
    """The archive is damaged, locked or of another version; or `verify` or `replay` found a
    difference."""
    PROVIDER = 4
    """A model's server refuses the run: key, quota, address. The run can be resumed."""
    STOPPED = 5
    """The run stopped early, by its budget or as asked, and can be resumed."""
    FAILED = 6
    """Your agent or scorer fails on one rollout after another. Once it is mended, the run can be
    resumed."""
    ABORTED = 130
    """The run was stopped at once, by a second Ctrl-C, and can be resumed."""

"""`evolith replay`: run a recorded run again from its recording, without a model."""

import tempfile
from functools import partial
from pathlib import Path

import anyio

from evolith import session
from evolith.cli.exit_codes import ExitCode
from evolith.cli.options import Base, RunDir


def replay(run_dir: RunDir, base: Base = None) -> int:
    """Run a finished run again from what it recorded, and compare the two archives.

    No model is called. The code is 0 where both archives have the same hash, else 3.
    """
    with tempfile.TemporaryDirectory(prefix="evolith-replay-") as folder:
        replayed = anyio.run(partial(session.replay, base=base), run_dir, Path(folder) / "run")
    same = replayed.recorded == replayed.replayed and replayed.calls == 0
    print(f"recorded archive: {replayed.recorded}")
    print(f"replayed archive: {replayed.replayed}")
    print(f"calls to models:  {replayed.calls}")
    print("The run is the same." if same else "The run is not the same.")
    return ExitCode.DONE if same else ExitCode.ARCHIVE

"""`evolith verify`: check that the archive of a run is whole."""

from evolith.archive import verify as archive
from evolith.cli.exit_codes import ExitCode
from evolith.cli.failure import wrapped
from evolith.cli.options import RunDir
from evolith.errors import EvolithError
from evolith.report.words import plural


def verify(run_dir: RunDir) -> int:
    """Check the archive of a run from the bytes up, and name what is broken.

    The code is 0 for a whole archive, else 3. A process may be at work on the run meanwhile.
    """
    problems = archive.verify(run_dir)
    for problem in problems:
        said = EvolithError(problem.what, where=problem.where, fix=problem.fix)
        print(wrapped(str(said)))
    if problems:
        print(f"{plural(len(problems), 'problem')} in {run_dir}.")
        return ExitCode.ARCHIVE
    print(f"The archive of {run_dir} is whole.")
    return ExitCode.DONE

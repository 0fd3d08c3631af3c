"""`evolith status`: where a run stands, in a few lines."""

import time

from evolith.archive.reading import reading
from evolith.cli.consoles import Output
from evolith.cli.options import RunDir
from evolith.report.status import build_status, print_status


def status(run_dir: RunDir) -> None:
    """Say where a run stands, while it is at work or afterwards."""
    with reading(run_dir, quickly=True) as archive:
        print_status(build_status(archive, str(run_dir), time.time()), Output())

"""`evolith show`: one candidate: what it changes, why, and what it scored."""

from evolith.archive.reading import reading
from evolith.cli.consoles import Output
from evolith.cli.options import Candidate, RunDir
from evolith.report.candidate import build_candidate
from evolith.report.candidate_text import print_candidate


def show(run_dir: RunDir, candidate: Candidate = "champion") -> None:
    """Show a candidate: its diff to each parent, what it rests on, and its scores."""
    with reading(run_dir) as archive:
        print_candidate(build_candidate(archive, candidate), Output())

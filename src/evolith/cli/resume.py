"""`evolith resume`: go on with a run that stopped, with more budget where it needs some."""

from evolith import session
from evolith.archive.reading import reading
from evolith.cli.drive import drive
from evolith.cli.options import Money, Rollouts, RunDir, Seconds, Tokens, Workers
from evolith.config import BudgetConfig


def resume(
    run_dir: RunDir,
    rollouts: Rollouts = None,
    tokens: Tokens = None,
    money: Money = None,
    seconds: Seconds = None,
    workers: Workers = None,
) -> int:
    """Go on with a run that was stopped or killed. Nothing that was recorded is paid again.

    The limits are those of the last session unless given; they count from the run's beginning.
    """
    given = {"rollouts": rollouts, "tokens": tokens, "money": money, "seconds": seconds}
    with reading(run_dir) as archive:
        before = session.load_settings(archive).budget
    changed = {name: limit for name, limit in given.items() if limit is not None}
    budget = BudgetConfig.model_validate({**before.model_dump(), **changed}).budget()
    return drive(
        run_dir,
        budget,
        lambda watch, stop: session.resume(
            run_dir, budget=budget, workers=workers, watch=watch, stop=stop
        ),
    )

"""What is kept of the budget for the sealed test, so that the search does not use it up."""

import math
from dataclasses import dataclass
from decimal import Decimal

import anyio

from evolith.archive.state import RolloutRow
from evolith.core.budget import Amount, Budget, spoken
from evolith.core.candidate import SEED
from evolith.core.task import Split
from evolith.errors import BudgetExceeded
from evolith.session.claim import missing_claim_rollouts
from evolith.session.setup import Parts

TICK = 0.2
"""Seconds between two looks at the clock."""
LATER = "a later champion"
"""Stands for the champion that is still to come while the seed is the best."""
MARGIN = 1.1
"""How much more than expected is kept."""
SLOW = 8
"""How often the slowest rollout of the champion is kept for, in seconds."""


@dataclass(frozen=True, slots=True)
class Aside:
    """Keeps back what the sealed test is expected to need.

    A test that would take more than half of a limit is not kept back for: then the search has the
    budget, and the test waits until the run is resumed with more.

    Args:
        parts: The working parts.
        budget: The limits of the whole run.
    """

    parts: Parts
    budget: Budget

    def keep(self) -> None:
        """Set the ledger's reserve from what rollouts of the champion have cost so far."""
        limits = (self.budget.tokens, self.budget.money, self.budget.rollouts)
        if limits == (None, None, None):
            return
        need = self._need()
        affordable = self.budget.lacks(need.times(2)) is None
        self.parts.ledger.aside = need if affordable else Amount()

    async def watch(self, deadline: float) -> None:
        """Stop the search when the time left is what the sealed test will take.

        Args:
            deadline: On anyio's clock, in seconds; infinite without a limit.
        """
        if self.budget.seconds is None:
            return
        while True:
            seconds = self._seconds()
            if seconds > self.budget.seconds / 2:
                seconds = 0.0
            if anyio.current_time() >= deadline - seconds:
                self.parts.ledger.stop(seconds_exceeded(self.budget))
                return
            await anyio.sleep(TICK)

    def _need(self) -> Amount:
        rollouts = self._rollouts()
        rows = self._champion_rows()
        if not rollouts or not rows:
            return Amount(rollouts=rollouts)
        total = Amount()
        for row in rows:
            total += row.cost
        factor = MARGIN * rollouts / len(rows)
        largest = self.parts.ledger.largest
        return Amount(
            math.ceil(total.tokens_in * factor) + largest.tokens_in,
            math.ceil(total.tokens_out * factor) + largest.tokens_out,
            total.money * Decimal(factor) + largest.money,
            rollouts,
        )

    def _seconds(self) -> float:
        rows = self._champion_rows()
        if not rows:
            return 0.0
        mean = sum(row.seconds for row in rows) / len(rows)
        # Rollouts run side by side, and what one takes includes its waiting for the others. Where
        # the search, the claim and the test end, each waits for its slowest, which may well be
        # slower than any so far.
        slowest = max(row.seconds for row in rows)
        rollouts = self._rollouts()
        spread = MARGIN * mean * rollouts / self.parts.config.run.workers
        return spread + SLOW * slowest if rollouts else 0.0

    def _rollouts(self) -> int:
        champion = self.parts.archive.state.champion
        test = missing_test_rollouts(self.parts, LATER if champion in (None, SEED) else champion)
        return test + missing_claim_rollouts(self.parts)

    def _champion_rows(self) -> list[RolloutRow]:
        state = self.parts.archive.state
        return list(state.rollouts.get((state.champion or SEED, Split.VAL), {}).values())


def missing_test_rollouts(parts: Parts, champion: str | None = None) -> int:
    """Return how many rollouts the sealed test still needs.

    Args:
        parts: The working parts.
        champion: The candidate that is tested beside the seed; the present champion unless given.
    """
    state = parts.archive.state
    wanted = len(parts.tasks.test) * parts.config.test.attempts
    names = {SEED, champion or state.champion or SEED}
    done = [len(state.rollouts.get((name, Split.TEST), {})) for name in names]
    return sum(max(0, wanted - count) for count in done)


def seconds_exceeded(budget: Budget) -> BudgetExceeded:
    """Return the error that says that the wall time is used up."""
    return BudgetExceeded(
        f"the budget of {spoken('seconds', budget.seconds or 0.0)} is used up",
        where="budget.seconds",
        fix="resume the run with a larger budget",
    )

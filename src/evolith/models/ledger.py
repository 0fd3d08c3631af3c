"""The ledger of a run: every cost is reserved at its worst before it is incurred, settled after."""

from collections import deque
from dataclasses import dataclass, field

import anyio

from evolith.core.budget import Amount, Budget, spoken
from evolith.errors import BudgetExceeded, Drained


@dataclass(eq=False, slots=True)
class _Waiter:
    worst: Amount
    ready: anyio.Event = field(default_factory=anyio.Event)


class Ledger:
    """Bounds what a run spends. One event loop uses it; nothing here blocks.

    Reservations are granted in the order of asking, and one that does not fit waits until what is
    under way has settled. So a budget ends a run at the same call with one worker and with many.
    Once a reservation was denied, all later ones are: the run is coming to its end.

    Args:
        budget: The limits of the whole run.
        spent: What earlier sessions of the run spent.
    """

    def __init__(self, budget: Budget, spent: Amount) -> None:
        self._budget = budget
        self.spent = spent
        self.reserved = Amount()
        self.aside = Amount()
        """Kept for the sealed test; the search cannot reserve it."""
        self.largest = Amount()
        """The largest reservation so far, limit by limit."""
        self._queue: deque[_Waiter] = deque()
        self.stopped: BudgetExceeded | Drained | None = None
        """Why nothing is granted any more, or None."""
        self._overrun = False

    async def reserve(self, worst: Amount) -> None:
        """Set `worst` aside for a call, waiting behind earlier askers while it may still fit.

        Raises:
            BudgetExceeded: it does not fit, or another one before did not.
            Drained: the run is being stopped.
        """
        if self.stopped is not None:
            raise self._why()
        if not self._queue and self._lack(worst) is None:  # nearly always: nobody need wait
            self._hold(worst)
            return
        waiter = _Waiter(worst)
        self._queue.append(waiter)
        self._grant()
        try:
            await waiter.ready.wait()
        except BaseException:
            self._withdraw(waiter)
            raise
        if waiter in self._queue:
            self._queue.remove(waiter)
            raise self._why()

    def require(self, amount: Amount) -> None:
        """Stop the run unless `amount` fits.

        Raises:
            BudgetExceeded: it does not fit.
            Drained: the run is being stopped.
        """
        if self.stopped is None and (limit := self._lack(amount)) is not None:
            self.stop(self._exceeded(limit))
        if self.stopped is not None:
            raise self._why()

    def take(self, amount: Amount) -> None:
        """Spend `amount` at once.

        Raises:
            BudgetExceeded: it does not fit.
            Drained: the run is being stopped.
        """
        self.require(amount)
        self.spent += amount

    def settle(self, worst: Amount, actual: Amount) -> None:
        """Replace a reservation by what was really spent, which ends the run if it is too much."""
        self.reserved -= worst
        self.spent += actual
        limit = self._budget.lacks(self.spent)
        if limit is not None and self.stopped is None:
            self._overrun = True
            self.stop(self._exceeded(limit))
        self._grant()

    def stop(self, reason: BudgetExceeded | Drained) -> None:
        """Grant nothing any more; the first reason stands."""
        if self.stopped is None:
            self.stopped = reason
        for waiter in self._queue:
            waiter.ready.set()

    def reopen(self) -> None:
        """Grant again, with nothing kept aside: the search is over and the sealed test begins.

        A request to stop stands.
        """
        self.aside = Amount()
        if isinstance(self.stopped, BudgetExceeded):
            self.stopped = None

    def _grant(self) -> None:
        while self._queue and self.stopped is None:
            waiter = self._queue[0]
            limit = self._lack(waiter.worst)
            if limit is None:
                self._queue.popleft()
                self._hold(waiter.worst)
                waiter.ready.set()
            elif self.reserved == Amount():
                self.stop(self._exceeded(limit))
            else:
                return

    def _hold(self, worst: Amount) -> None:
        self.reserved += worst
        self.largest = _larger(self.largest, worst)

    def _withdraw(self, waiter: _Waiter) -> None:
        if waiter in self._queue:
            self._queue.remove(waiter)
        elif self.stopped is None or waiter.ready.is_set():
            self.reserved -= waiter.worst  # granted, but the asker was cancelled meanwhile
        self._grant()

    def _lack(self, amount: Amount) -> str | None:
        return self._budget.lacks(self.spent, self.reserved, self.aside, amount)

    def _exceeded(self, limit: str) -> BudgetExceeded:
        budget = f"the budget of {spoken(limit, getattr(self._budget, limit))}"
        said = f"the next step does not fit into {budget}"
        if self._overrun:
            said = f"a server reported more than its call had reserved, which passed {budget}"
        return BudgetExceeded(
            said,
            where=f"budget.{limit}",
            fix="resume the run with a larger budget",
        )

    def _why(self) -> BudgetExceeded | Drained:
        assert self.stopped is not None
        return type(self.stopped)(
            self.stopped.message, where=self.stopped.where, fix=self.stopped.fix
        )


def _larger(one: Amount, two: Amount) -> Amount:
    return Amount(
        max(one.tokens_in, two.tokens_in),
        max(one.tokens_out, two.tokens_out),
        max(one.money, two.money),
        max(one.rollouts, two.rollouts),
        max(one.calls, two.calls),
    )

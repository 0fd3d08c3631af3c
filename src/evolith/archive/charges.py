"""What calls cost, added up for whoever asks: by role, by purpose and by judged rollout."""

from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from evolith.core.budget import Amount
from evolith.core.events import Called, CallLost
from evolith.core.messages import Role


class CallRow(NamedTuple):
    """What is added up of a `Called`, for readers that make no event of it."""

    slot: str
    role: Role
    model: str
    failure: str | None
    tokens_in: int
    tokens_out: int
    money: Decimal
    estimated: bool


CallFigures = Called | CallRow


@dataclass(slots=True)
class Charge:
    """Calls, added up in place: a run has very many."""

    tokens_in: int = 0
    tokens_out: int = 0
    money: Decimal = Decimal(0)
    calls: int = 0

    def add(self, event: CallFigures | CallLost) -> None:
        """Add a call."""
        self.tokens_in += event.tokens_in
        self.tokens_out += event.tokens_out
        self.money += event.money
        self.calls += 1

    @property
    def amount(self) -> Amount:
        """The same as an amount."""
        return Amount(self.tokens_in, self.tokens_out, self.money, 0, self.calls)


@dataclass(slots=True)
class RoleCharge(Charge):
    """What the calls of one role cost, and what is to be known of them."""

    seconds: float = 0.0
    """Time that they took, added up over workers."""
    failed: int = 0
    estimated: int = 0
    """Calls whose tokens are no figure of the server."""
    models: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Charges:
    """Everything that calls cost."""

    roles: dict[Role, RoleCharge] = field(default_factory=lambda: defaultdict(RoleCharge))
    """By role, lost tries included."""
    purposes: dict[str, Charge] = field(default_factory=lambda: defaultdict(Charge))
    """By slot; calls for rollouts of one candidate together, under `rollout/` and its id."""
    judged: dict[str, Charge] = field(default_factory=lambda: defaultdict(Charge))
    """What the judge cost, by the key of the rollout."""

    def call(self, event: CallFigures, seconds: float) -> None:
        """Take in a call that has ended."""
        role = self.roles[event.role]
        role.add(event)
        role.seconds += seconds
        role.failed += event.failure is not None
        role.estimated += event.estimated
        role.models.add(event.model)
        self.purposes[_purpose(event.slot)].add(event)
        if event.role is Role.JUDGE:
            self.judged[event.slot.rsplit("/", 2)[0]].add(event)

    def lose(self, event: CallLost) -> None:
        """Take in a try without an answer."""
        self.roles[event.role].add(event)


def _purpose(slot: str) -> str:
    if slot.startswith("rollout/"):
        return slot[: slot.find("/", len("rollout/"))]
    return slot

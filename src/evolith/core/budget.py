"""Amounts that are spent, and the budget that bounds them."""

from dataclasses import dataclass
from decimal import Decimal

from evolith.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Amount:
    """What something costs.

    Args:
        tokens_in: Prompt tokens.
        tokens_out: Completion tokens.
        money: US dollars.
        rollouts: Rollouts started.
        calls: Model calls made.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    money: Decimal = Decimal(0)
    rollouts: int = 0
    calls: int = 0

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.money + other.money,
            self.rollouts + other.rollouts,
            self.calls + other.calls,
        )

    def __sub__(self, other: "Amount") -> "Amount":
        return Amount(
            self.tokens_in - other.tokens_in,
            self.tokens_out - other.tokens_out,
            self.money - other.money,
            self.rollouts - other.rollouts,
            self.calls - other.calls,
        )

    def times(self, factor: int) -> "Amount":
        """Return the amount `factor` times."""
        return Amount(
            self.tokens_in * factor,
            self.tokens_out * factor,
            self.money * factor,
            self.rollouts * factor,
            self.calls * factor,
        )


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a run may spend, over all its sessions; None is unbounded.

    Args:
        tokens: Prompt and completion tokens of every role.
        money: US dollars of every role.
        rollouts: Rollouts, those on the sealed test included.
        seconds: Wall time while the run is at work.
    """

    tokens: int | None = None
    money: Decimal | None = None
    rollouts: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("tokens", "money", "rollouts", "seconds"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ConfigError(
                    f"a budget of {spoken(name, value)} allows nothing",
                    where=f"budget.{name}",
                    fix="give a number above 0",
                )

    def lacks(self, *spent: Amount) -> str | None:
        """Return the name of the limit that the amounts pass together, or None."""
        if self.tokens is not None and sum(amount.tokens for amount in spent) > self.tokens:
            return "tokens"
        if self.money is not None and sum(amount.money for amount in spent) > self.money:
            return "money"
        if self.rollouts is not None and sum(amount.rollouts for amount in spent) > self.rollouts:
            return "rollouts"
        return None


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million prompt tokens and for a million completion tokens."""

    tokens_in: Decimal
    tokens_out: Decimal

    def of(self, tokens_in: int, tokens_out: int) -> Decimal:
        """Return the price of that many tokens in US dollars."""
        return (self.tokens_in * tokens_in + self.tokens_out * tokens_out) / 1_000_000


FREE = Price(Decimal(0), Decimal(0))
"""The price of a model that runs on one's own machine."""
_CENT = Decimal("0.01")


def dollars(amount: Decimal) -> str:
    """Return US dollars: whole cents, or two digits that count where it is less than a cent."""
    if amount == 0 or abs(amount) >= _CENT:
        return f"${amount:,.2f}" if amount else "$0"
    return f"${amount:.{1 - amount.adjusted()}f}"


def spoken(limit: str, amount: Decimal | float) -> str:
    """Return an amount as a reader says it, such as `$3.50` or `1,000 rollouts`.

    Args:
        limit: What is bounded: tokens, money, rollouts or seconds.
        amount: How much of it.
    """
    if limit == "money":
        return dollars(Decimal(amount))
    figures = f"{amount:,.1f}".removesuffix(".0") if isinstance(amount, float) else f"{amount:,}"
    return f"{figures} {limit}"

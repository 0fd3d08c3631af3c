"""Where a run stands, in a few lines: for `evolith status`."""

from dataclasses import dataclass
from decimal import Decimal
from shlex import quote

from rich.console import Console
from rich.text import Text

from evolith.archive.archive import Archive
from evolith.core.budget import Amount, dollars
from evolith.core.candidate import SEED
from evolith.core.task import Split
from evolith.report.build import run_state
from evolith.report.data import Estimate, RunState
from evolith.report.lineage import proposals
from evolith.report.page import Page
from evolith.report.recorded import recorded
from evolith.report.splits import estimate
from evolith.report.words import duration, interval, line, percent


@dataclass(frozen=True, slots=True)
class Limit:
    """One bound of the budget."""

    name: str
    used: Decimal
    most: Decimal

    @property
    def left(self) -> Decimal:
        """What may still be spent."""
        return max(Decimal(0), self.most - self.used)


@dataclass(frozen=True, slots=True)
class Status:
    """Where a run stands."""

    name: str
    state: RunState
    champion: str | None
    val: Estimate | None
    """The champion's Avg@k on validation."""
    seed_val: Estimate | None
    proposals: int
    accepted: int
    under_way: int
    spent: Amount
    limits: tuple[Limit, ...]
    """The bounds of the latest session's budget."""


def build_status(archive: Archive, folder: str = "DIR") -> Status:
    """Return where a run stands; cheap enough to be asked for every second.

    Args:
        archive: The run; it may be at work.
        folder: How the commands in the output name the run.
    """
    state, tried = archive.state, proposals(archive.state)
    champion = state.champion
    return Status(
        name=state.run.name if state.run else "",
        state=run_state(state, quote(folder)),
        champion=champion,
        val=estimate(state, champion, Split.VAL) if champion else None,
        seed_val=estimate(state, SEED, Split.VAL),
        proposals=len(tried),
        accepted=sum(proposal.outcome == "accepted" for proposal in tried),
        under_way=len(state.selected.keys() - state.decided.keys()),
        spent=state.total,
        limits=_limits(archive),
    )


def print_status(status: Status, console: Console) -> None:
    """Print where a run stands."""
    page = Page(console)
    colour = "green" if status.state.status == "finished" else "yellow"
    page.ends(Text(line(status.name), "bold"), Text(line(status.state.sentence), colour))
    limits = {limit.name: limit for limit in status.limits}
    spent = status.spent
    beside = f", {status.under_way:,} under way" if status.under_way else ""
    rows = [
        ["best val", *_best(status)],
        ["proposals", f"{status.proposals:,}", f"{status.accepted:,} accepted{beside}"],
        ["rollouts", f"{spent.rollouts:,}", _left(limits.get("rollouts"))],
        ["tokens", f"{spent.tokens:,}", _left(limits.get("tokens"))],
        ["money", dollars(spent.money), _left(limits.get("money"))],
        ["time", duration(status.state.seconds), _left(limits.get("seconds"))],
    ]
    page.table(["", ">", ""], rows)
    if status.state.resume:
        page.text(Text.assemble(("go on: ", "dim"), line(status.state.resume)))


def _best(status: Status) -> list[str]:
    if status.val is None:
        return ["-", "nothing is evaluated yet"]
    seed = f", seed {percent(status.seed_val.value)}" if status.seed_val else ""
    return [percent(status.val.value), f"95% {interval(status.val)}, {status.champion}{seed}"]


def _limits(archive: Archive) -> tuple[Limit, ...]:
    budget, spent = recorded(archive.state).limits, archive.state.total
    pairs = (
        ("tokens", spent.tokens, budget.tokens),
        ("money", spent.money, budget.money),
        ("rollouts", spent.rollouts, budget.rollouts),
        ("seconds", archive.state.seconds, budget.seconds),
    )
    return tuple(
        Limit(name, Decimal(used), Decimal(most)) for name, used, most in pairs if most is not None
    )


def _left(limit: Limit | None) -> str:
    if limit is None:
        return ""
    match limit.name:
        case "money":
            return f"{dollars(limit.left)} left of {dollars(limit.most)}"
        case "seconds":
            return f"{duration(float(limit.left))} left of {duration(float(limit.most))}"
        case _:
            return f"{limit.left:,} left of {limit.most:,}"

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
from evolith.report import overlap_tables, tables
from evolith.report.build import run_state
from evolith.report.codes import makes_candidates
from evolith.report.costs import read_calls, run_cost
from evolith.report.data import Claim, Estimate, Pace, Rate, RunCost, RunState
from evolith.report.lineage import proposals
from evolith.report.overlap import overlap_report
from evolith.report.overlap_data import OverlapReport
from evolith.report.overlap_text import print_stages
from evolith.report.pace import pace
from evolith.report.page import Page
from evolith.report.recorded import recorded
from evolith.report.splits import claim, estimate
from evolith.report.words import claimed, duration, interval, line, per_minute, percent, plural


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
    claim: Claim | None
    pace: Pace | None
    cost: RunCost
    overlap: OverlapReport | None
    """None for a synchronous run."""
    age: float | None
    """Seconds since the stages were looked at; None where they were not, or no time was given."""


def build_status(archive: Archive, folder: str = "DIR", now: float | None = None) -> Status:
    """Return where a run stands; cheap enough to be asked for every second.

    Args:
        archive: The run; it may be at work.
        folder: How the commands in the output name the run.
        now: Seconds since the epoch, by which the last look at the stages has an age.
    """
    state, tried = archive.state, proposals(archive.state)
    champion, overlap = state.champion, overlap_report(archive, tried)
    looked = overlap.pulsed_at if overlap else None
    return Status(
        name=state.run.name if state.run else "",
        state=run_state(state, quote(folder)),
        champion=champion,
        val=estimate(state, champion, Split.VAL) if champion else None,
        seed_val=estimate(state, SEED, Split.VAL),
        proposals=sum(makes_candidates(proposal.operator) for proposal in tried),
        accepted=sum(proposal.outcome == "accepted" for proposal in tried),
        under_way=len(state.selected.keys() - state.decided.keys()),
        spent=state.total,
        limits=_limits(archive),
        claim=claim(state),
        pace=pace(state, tried),
        cost=run_cost(state, read_calls(archive)),
        overlap=overlap,
        age=max(0.0, now - looked) if now is not None and looked is not None else None,
    )


def print_status(status: Status, console: Console) -> None:
    """Print where a run stands."""
    page = Page(console)
    colour = "green" if status.state.status == "finished" else "yellow"
    page.ends(Text(line(status.name), "bold"), Text(line(status.state.sentence), colour))
    limits = {limit.name: limit for limit in status.limits}
    spent, fast = status.spent, status.pace
    rows = [
        ["best val", *_best(status)],
        *([["claimed", "", claimed(status.claim)]] if status.claim else []),
        ["proposals", f"{status.proposals:,}", _proposals(status)],
        [
            "rollouts",
            f"{spent.rollouts:,}",
            _left(limits.get("rollouts"), fast.rollouts if fast else None),
        ],
        ["tokens", f"{spent.tokens:,}", _left(limits.get("tokens"), fast.tokens if fast else None)],
        *([["wasted", *tables.wasted(status.cost)]] if status.cost.wasted.tokens else []),
        ["money", dollars(spent.money), _left(limits.get("money"))],
        ["time", duration(status.state.seconds), _left(limits.get("seconds"))],
    ]
    page.table(["", ">", "~"], rows)
    if status.overlap:
        _overlap(status, status.overlap, page)
    if status.state.resume:
        page.text(Text.assemble(("go on: ", "dim"), line(status.state.resume)))


def _overlap(status: Status, overlap: OverlapReport, page: Page) -> None:
    at_work = status.state.status == "open" and status.age is not None
    print_stages(overlap, page, f"{duration(status.age or 0)} ago" if at_work else "at the end")
    rows = [*overlap_tables.early(overlap).rows]
    if any(overlap.staleness):
        behind = sum(count for stale, count in overlap.staleness.items() if stale)
        worst = plural(max(overlap.staleness), "accepted change")
        rows.append(["stale at decision", f"{behind:,}", f"by {worst} at most"])
    if overlap.stale:
        met = ", ".join(f"{found.items:,} {found.fate}" for found in overlap.stale)
        tokens = sum(found.tokens for found in overlap.stale)
        repaired = f"; {tokens:,} tokens for repair" if tokens else ""
        rows.append(["met as", "", f"{met}{repaired}"])
    if overlap.committer and rows:
        page.blank()
    page.table(["", ">", "~"], rows)


def _proposals(status: Status) -> str:
    fast = status.pace
    parts = [f"{status.accepted:,} accepted"]
    if fast and fast.held.total:
        parts.append(f"{fast.held.total:,} held")
    if status.under_way:
        parts.append(f"{status.under_way:,} under way")
    return _minute(", ".join(parts), fast.proposals if fast else None)


def _minute(text: str, rate: Rate | None) -> str:
    """Return a text with how many a minute there were."""
    fast = f"{per_minute(rate)} a minute" if rate and rate.per_minute is not None else ""
    return ", ".join(filter(None, (text, fast)))


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


def _left(limit: Limit | None, rate: Rate | None = None) -> str:
    if limit is None:
        return _minute("", rate)
    match limit.name:
        case "money":
            return f"{dollars(limit.left)} left of {dollars(limit.most)}"
        case "seconds":
            return f"{duration(float(limit.left))} left of {duration(float(limit.most))}"
        case _:
            return _minute(f"{limit.left:,} left of {limit.most:,}", rate)

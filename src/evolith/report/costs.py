"""What a run has cost: by role, by proposal, and for one deployed task."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from statistics import fmean

from evolith.archive.archive import Archive
from evolith.archive.charges import Charge, RoleCharge
from evolith.archive.state import RolloutRow, State
from evolith.core.budget import Amount
from evolith.core.events import rollout_key
from evolith.core.messages import Role
from evolith.report.data import RoleCost, RunCost, TaskCost
from evolith.report.uses import uses

_NONE = Charge()


@dataclass(slots=True)
class Calls:
    """The recorded calls of a run, added up in the ways that a report needs."""

    roles: Mapping[Role, RoleCharge]
    judged: Mapping[str, Charge]
    """What the judge cost, by the key of the rollout."""
    items: dict[str, Amount] = field(default_factory=lambda: defaultdict(Amount))
    """What each proposal cost: its operator calls and its child's rollouts."""
    repair: Amount = field(default_factory=Amount)
    """What repair calls cost, which are in no item: several share one."""


def read_calls(archive: Archive) -> Calls:
    """Add up the calls of a run."""
    charges = archive.state.charges
    calls = Calls(charges.roles, charges.judged)
    for slot, charge in charges.purposes.items():
        if slot.split("/")[-2:-1] == [Role.REPAIR]:
            calls.repair += charge.amount
        else:
            calls.items[_item(archive.state, slot)] += charge.amount
    for (candidate, _), rows in archive.state.rollouts.items():
        calls.items[_maker(archive.state, candidate)] += Amount(rollouts=len(rows))
    return calls


def run_cost(state: State, calls: Calls) -> RunCost:
    """Return what the run cost, by role and by what became of it."""
    return RunCost(
        roles=tuple(
            RoleCost(
                role=role,
                models=tuple(sorted(calls.roles[role].models)),
                amount=calls.roles[role].amount,
                seconds=calls.roles[role].seconds,
                failed_calls=calls.roles[role].failed,
                estimated_calls=calls.roles[role].estimated,
            )
            for role in Role
            if role in calls.roles
        ),
        total=state.total,
        uses=uses(state, calls.items, calls.repair),
    )


def task_cost(rows: list[RolloutRow], calls: Calls) -> TaskCost | None:
    """Return the mean cost of the scored rollouts among `rows`, without what the judge cost."""
    scored = [row for row in rows if row.value is not None]
    if not scored:
        return None
    costs = [
        row.cost - calls.judged.get(rollout_key(row.candidate, row.task, row.attempt), _NONE).amount
        for row in scored
    ]
    return TaskCost(
        tokens_in=fmean(cost.tokens_in for cost in costs),
        tokens_out=fmean(cost.tokens_out for cost in costs),
        money=sum((cost.money for cost in costs), start=Decimal(0)) / len(costs),
        seconds=fmean(row.seconds for row in scored),
    )


def _item(state: State, slot: str) -> str:
    """Return the proposal that a call was made for; empty for the seed and for no proposal."""
    parts = slot.split("/")
    if parts[0] == "rollout":
        return _maker(state, parts[1])
    return next((part for part in parts if part in state.selected), "")


def _maker(state: State, candidate: str) -> str:
    event = state.candidates.get(candidate)
    return event.item if event else ""

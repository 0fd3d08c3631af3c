"""agentdescent 0.7.0 in the bench, by its public `evolve`, with its default append-only rules.

It works otherwise than gepa: one task a rollout, rules appended as diffs, and a merger that fuses
diffs and commits what scores better on the held-out tasks.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from agentdescent import Task as Work
from agentdescent import evolve
from agentdescent.staleness import get_policy
from agentdescent.strategies import AppendRules

from bench.race import SLOTS, Race, Run
from bench.row import Row
from evolith.core.score import Score
from evolith.core.task import Split
from evolith.simulate.marks import key_in, marks_in
from evolith.simulate.scorer import judge
from evolith.simulate.world import SEED_PROMPT

ENDLESS = 100_000
"""Rounds or rollouts that no run comes to."""


def agentdescent_sync8(race: Race) -> Row:
    """Rounds of eight workers."""
    return _run(race, "agentdescent-sync8", 8, {"max_concurrency": 8})


def agentdescent_sync16(race: Race) -> Row:
    """Rounds of sixteen workers, its best here."""
    return _run(race, "agentdescent-sync16", 16, {"max_concurrency": 16})


def agentdescent_async8(race: Race) -> Row:
    """Eight workers without rounds."""
    how = {"asynchronous": True, "max_rollouts": ENDLESS}
    return _run(race, "agentdescent-async8", 8, how)


def _run(race: Race, name: str, workers: int, how: Mapping[str, Any]) -> Row:
    warnings.simplefilter("ignore", RuntimeWarning)  # it warns of calls that a stop leaves behind
    run = Run(race)
    watch, tasks = _Watch(run), [task for _, task in run.world.tasks]
    held_out = len(run.world.tasks[Split.VAL]) / len(tasks)

    def propose(rules: str, task: Work, output: str, reward: float) -> str:  # noqa: ARG001 - its API
        run.proposals += 1
        feedback = _judged(task, output).feedback
        asked = f"```\n{SEED_PROMPT}\n{rules}\n```\n{task.prompt}\n{output}\n{feedback}"
        answer = run.client.ask("", asked, "fake-reflect")
        new = sorted(marks_in(answer) - marks_in(rules))
        if new:
            return f"always apply {' '.join(new)}"
        return f"think carefully {answer[-20:].strip('`').strip()}"

    result = evolve(
        [Work(id=task.id, prompt=task.input) for task in tasks],
        lambda task, output: _judged(task, output).value,
        run=lambda rules, task: run.client.ask(f"{SEED_PROMPT}\n{rules}", task.prompt, "fake-task"),
        propose=propose,
        n_workers=workers,
        rounds=ENDLESS,
        eval_concurrency=SLOTS,
        held_out_frac=held_out,
        max_seconds=race.cap,
        seed=race.seed,
        staleness_policy=get_policy("guarded"),
        on_reports=watch.reports,
        on_round=watch.round,
        stop_when=lambda _: run.done,
        **how,
    )
    end = run.now
    run.judge.choose(result.rendered, result.final_reward, end)
    return run.row(name, end)


def _judged(task: Work, output: str) -> Score:
    return judge(key_in(task.prompt) or "", output)


class _Watch:
    """Follows the committed rules by the merger's own reports."""

    def __init__(self, run: Run) -> None:
        self._run, self._rules = run, AppendRules()
        self._state: dict[str, object] = {}
        self._changed = True

    def reports(self, reports: Sequence[Any]) -> None:
        """Take in what was committed."""
        for report in reports:
            if report.committed_version is not None and report.accepted is not None:
                merged = {**self._state, **report.accepted.ops}
                self._state = {key: rule for key, rule in merged.items() if rule is not None}
                self._changed = True

    def round(self, info: Any) -> None:
        """Tell the judge what is committed now: that is what it would return."""
        if self._changed:
            self._changed = False
            rules, now = self._rules.render(self._state), self._run.now
            self._run.judge.accept(rules, now)
            self._run.judge.choose(rules, info.held_out_reward, now)

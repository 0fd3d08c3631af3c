"""Judges the answers of a simulated world. What it says of a wrong one names what would cure it."""

import re

from evolith.core.rollout import Trajectory
from evolith.core.score import Score
from evolith.core.task import Task
from evolith.simulate.marks import key_in, scope
from evolith.simulate.world import rule_of

FIRED = re.compile(r"fired ((?:RULE-\d\d ?)+)")


async def grade(task: Task, trajectory: Trajectory) -> Score:
    """Return the score of an answer. It sees the task and the answer, never the prompt.

    It is asynchronous, since a function that is not runs in a thread, where no virtual time passes.
    """
    key = key_in(task.input)
    assert key is not None
    return judge(key, trajectory.output)


def judge(key: str, answer: str) -> Score:
    """Return the score of an answer to the task with this key, with feedback."""
    if "correct" in answer:
        return Score(1.0, passed=True, feedback="Right.")
    wanted = rule_of(key)
    found = FIRED.search(answer)
    fired = found[1].split() if found else []
    if not fired:
        return _wrong(f"the instructions are missing {wanted}")
    others = [one for one in fired if one != wanted]
    missing = [] if wanted in fired else [wanted]
    missing += [scope(other, wanted) for other in others]
    return _wrong(
        f"{' and '.join(others)} overrides {wanted} here; "
        f"the instructions are missing {' '.join(missing)}"
    )


def _wrong(why: str) -> Score:
    return Score(0.0, passed=False, feedback=f"Wrong: {why}.")

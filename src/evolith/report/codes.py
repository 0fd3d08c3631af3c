"""The short names of operators and verdicts, in plain words."""

from evolith.archive.state import State

CHECKS = ("look", "judge")
"""Operators that make no candidate: they run or judge one that is there."""

_CODES = {
    "seed": "the first version",
    # accepted
    "joined": "joins the pool",
    "new_champion": "better on validation than the champion",
    "proved": "won a direct comparison with the champion",
    # held
    "won": "passes what it was made for, and waits to be fused",
    "moved": "the line moves to it; it is compared with the champion later",
    "frees": "without this part, stuck tasks are passed",
    # skipped
    "looked": "the line was run on one task, to see where it stands",
    "passes": "the task to be repaired is passed after all",
    "perfect_minibatch": "the parent solves its whole minibatch",
    "fused": "worked into another stale proposal",
    # rejected
    "minibatch_not_better": "not better than its parent on the minibatch",
    "not_above_champion": "not better on validation than the champion",
    "not_better": "lost the comparison with the champion",
    "superseded": "not decided when a newer line waited",
    "not_won": "still fails what it was made for",
    "not_general": "fails tasks that failed in the same way",
    "not_safe": "loses tasks that its parent passes, or may",
    "frees_nothing": "without this part, no stuck task is passed",
    "given_up": "too unlikely to be accepted; its evaluation was ended",
    "duplicate": "the same text as a known candidate",
    "invalid_artifact": "edits what may not be edited, or breaks the agent",
    "agent_fails": "the agent fails with it",
    "copies_tasks": "copies a train task",
    "stale": "too many changes were accepted since it was begun",
    "discarded": "stale, and of no more use to what was accepted since",
    "retracted": "its tentative parent was not accepted",
    # failed
    "rollouts_failed": "too many of its rollouts failed",
    "no_scores": "no rollout gave a score",
    "repair_failed": "the repair model gave nothing usable",
    "model_failure": "the model gave no complete answer",
    "operator_raised": "the operator raised an error",
    "no_fence": "the answer holds no text between fences",
    "empty": "the answer holds an empty text",
    "unchanged": "the text would be as it was",
    "no_solved_tasks": "no solved task can be shown yet",
}
_FATES = {
    "passed": "let through as it is",
    "dropped": "dropped as too old",
    "rebased": "moved to the champion, without a call",
    "distant": "far from what changed, let through",
    "patched": "worked into the champion by a repair call",
    "fused": "worked in with another one",
    "discarded": "discarded by a repair call",
    "failed": "the repair call gave nothing usable",
}


def makes_candidates(operator: str) -> bool:
    """Say whether items of an operator are proposals: attempts at a new candidate."""
    return operator not in CHECKS


def proposals_of(state: State) -> int:
    """Return how many proposals were decided."""
    items = (state.selected[item] for item in state.decided if item in state.selected)
    return sum(makes_candidates(selected.operator) for selected in items)


def verdict_words(code: str) -> str:
    """Return what the code of a verdict means; for an unknown one, its own words."""
    return _CODES.get(code) or code.replace("_", " ")


def fate_words(fate: str) -> str:
    """Return what the fate of a stale proposal means."""
    return _FATES.get(fate) or fate

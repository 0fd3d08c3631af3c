"""Whole runs beside the reference implementation of GEPA, where chance has no part.

The train split is one minibatch and every validation task scores alike, so parent and minibatch
are certain, and the same proposals must be accepted.
"""

# mypy: disable-error-code="no-untyped-call, arg-type"

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gepa.api import optimize
from gepa.core.adapter import EvaluationBatch
from hypothesis import given, settings
from hypothesis import strategies as st

from evolith import Budget, Options, Request, Task, Trajectory, evolve
from evolith.algorithms.config import GepaConfig, MergeSettings
from evolith.tasks.config import TasksConfig

LEVELS = st.sampled_from([0.0, 0.25, 0.5, 0.75])
Scores = list[tuple[float, float]]
"""For each proposed text: its score on train and on validation."""


def score(scores: Scores, text: str, split: str) -> float:
    found = re.search(r"text (\d+)", text)
    if found is None:
        return 0.25
    return scores[int(found[1])][split == "val"]


class Adapter:
    """The reference's view of the task."""

    propose_new_texts = None

    def __init__(self, scores: Scores) -> None:
        self.scores = scores

    def evaluate(
        self,
        batch: Sequence[str],
        candidate: dict[str, str],
        capture_traces: bool = False,  # noqa: FBT001, FBT002 - the reference's signature
    ) -> Any:
        values = [score(self.scores, candidate["prompt.md"], item[:-1]) for item in batch]
        return EvaluationBatch(outputs=values, scores=values, trajectories=list(batch))

    def make_reflective_dataset(self, candidate: Any, batch: Any, components: Any) -> Any:
        return {component: [{"Feedback": "better"}] for component in components}


class Quiet:
    def log(self, message: str) -> None:
        pass


def reference_pool(scores: Scores) -> list[str]:
    calls = iter(range(len(scores)))
    result: Any = optimize(
        seed_candidate={"prompt.md": "seed"},
        trainset=["train0", "train1", "train2"],
        valset=["val0", "val1", "val2"],
        adapter=Adapter(scores),
        reflection_lm=lambda _: f"```\ntext {next(calls)}\n```",
        reflection_minibatch_size=3,
        stop_callbacks=[lambda state: state.i >= len(scores) - 1],
        max_metric_calls=10**6,
        logger=Quiet(),
    )
    return [candidate["prompt.md"] for candidate in result.candidates]


def our_pool(scores: Scores, folder: Path) -> list[str]:
    calls = iter(range(len(scores)))

    def model(request: Request) -> str:
        asked = request.messages[-1].content
        if "triple backticks" in asked:
            return f"```\ntext {next(calls)}\n```"
        return request.messages[0].content

    def grade(task: Task, trajectory: Trajectory) -> float:
        return score(scores, trajectory.output, task.input[:-1])

    for split in ("train", "val"):
        rows = "".join(f'{{"id": "{split}{n}", "input": "{split}{n}"}}\n' for n in range(3))
        (folder / f"{split}.jsonl").write_text(rows)
    run = evolve(
        "seed",
        TasksConfig(train=str(folder / "train.jsonl"), val=str(folder / "val.jsonl")),
        grade,
        model,
        algorithm=GepaConfig(proposals=len(scores), minibatch=3, merge=MergeSettings(most=0)),
        budget=Budget(rollouts=10**6),
        options=Options(run_dir=folder / "run"),
    )
    accepted = {row["candidate"] for row in run.table if row["outcome"] == "accepted"}
    texts = [c.artifact.get("prompt.md") or "" for c in run.lineage if c.id in accepted]
    return [text.strip() for text in texts]


@given(st.lists(st.tuples(LEVELS, LEVELS), min_size=1, max_size=8))
@settings(max_examples=25, deadline=None)
def test_the_same_proposals_join_the_pool_in_the_same_order(scores: Scores) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert our_pool(scores, Path(folder)) == reference_pool(scores)

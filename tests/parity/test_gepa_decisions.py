"""Decisions against the reference implementation of GEPA, on the same inputs."""

# mypy: disable-error-code="no-untyped-call, arg-type"

import random
from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import anyio
from gepa.gepa_utils import find_dominator_programs, select_program_candidate_from_pareto_front
from gepa.proposer.merge import (
    MergeProposer,
    sample_and_attempt_merge_programs_by_common_predictors,
)
from gepa.strategies.acceptance import StrictImprovementAcceptance
from hypothesis import given, settings
from hypothesis import strategies as st

from evolith.archive.view import Member, View
from evolith.core.artifact import Artifact
from evolith.core.budget import Amount
from evolith.core.candidate import Candidate
from evolith.core.events import Selected
from evolith.core.frontier import frontier, fronts
from evolith.core.rollout import Rollout
from evolith.core.score import Score
from evolith.core.surface import Surface
from evolith.core.task import Split, TaskSet
from evolith.operators.mutate.merge import Merge
from evolith.operators.proposal import Proposal
from evolith.operators.protocols import Context
from evolith.operators.select.merge import MergeRule
from evolith.operators.validate.minibatch import MinibatchImprovement

Row = list[float]
MATRIX = st.integers(1, 6).flatmap(
    lambda tasks: st.lists(
        st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=tasks, max_size=tasks),
        min_size=1,
        max_size=7,
    )
)


class Recorder(random.Random):
    """Remembers what it was to choose from."""

    options: Sequence[Any] = ()

    def choice(self, seq: Any) -> Any:
        self.options = seq
        return seq[0]


def ours(matrix: list[Row]) -> dict[str, dict[str, float]]:
    return {str(i): {str(t): v for t, v in enumerate(row)} for i, row in enumerate(matrix)}


def theirs(matrix: list[Row]) -> tuple[dict[str, set[int]], list[float]]:
    front = {task: {int(i) for i in names} for task, names in fronts(ours(matrix)).items()}
    return front, [sum(row) / len(row) for row in matrix]


@given(MATRIX)
@settings(max_examples=300)
def test_the_same_candidates_are_left_on_the_frontier(matrix: list[Row]) -> None:
    assert {int(name) for name in frontier(ours(matrix))} == set(
        find_dominator_programs(*theirs(matrix))
    )


@given(MATRIX)
@settings(max_examples=300)
def test_parents_are_sampled_with_the_same_weights(matrix: list[Row]) -> None:
    recorder = Recorder()
    select_program_candidate_from_pareto_front(*theirs(matrix), recorder)
    weights = {int(name): weight for name, weight in frontier(ours(matrix)).items()}
    assert weights == Counter(recorder.options)


def rollout(task: int, value: float) -> Rollout:
    score = Score(value, passed=value == 1.0)
    return Rollout("c", str(task), Split.TRAIN, 0, None, score, None, Amount())


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 0.25, 0.5, 1.0])] * 2), min_size=1, max_size=6))
def test_the_same_children_pass_the_minibatch(pairs: list[tuple[float, float]]) -> None:
    before, after = ([pair[side] for pair in pairs] for side in (0, 1))
    proposal = Proposal(
        selected(),
        (),
        (),
        before=tuple(rollout(i, v) for i, v in enumerate(before)),
        after=tuple(rollout(i, v) for i, v in enumerate(after)),
    )
    reference = SimpleNamespace(subsample_scores_before=before, subsample_scores_after=after)
    accepted = StrictImprovementAcceptance().should_accept(reference, None)
    assert (MinibatchImprovement().validate(proposal) is None) == accepted
    no_worse = sum(after) >= sum(before)
    assert (MinibatchImprovement("no_worse").validate(proposal) is None) == no_worse


def selected(parents: tuple[str, ...] = (), ancestor: str = "") -> Selected:
    return Selected(
        item="p",
        ordinal=0,
        commits=1,
        version=0,
        parents=parents,
        tasks=(),
        operator="merge",
        components=(),
        ancestor=ancestor,
    )


def context() -> Context:
    def chat(*_: object) -> Any:
        raise AssertionError("a merge calls no model")

    return Context(0, "p", 0, TaskSet((), ()), Surface(), chat)


TEXTS = st.sampled_from(["base", "left", "right", "both"])


@given(
    components=st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=4),
    first_is_better=st.booleans(),
)
def test_two_relatives_are_merged_to_the_same_text(
    components: list[tuple[str, str, str]], *, first_is_better: bool
) -> None:
    names = [f"part{i}.md" for i in range(len(components))]
    programs = [dict(zip(names, texts, strict=True)) for texts in zip(*components, strict=True)]
    better, worse = [1.0, 1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 1.0]
    val = [[0.1] * 5, better, worse] if first_is_better else [[0.1] * 5, worse, better]
    means = [sum(row) / 5 for row in val]
    reference = sample_and_attempt_merge_programs_by_common_predictors(
        means, random.Random(0), [1, 2], ([], []), programs, [[None], [0], [0]]
    )
    members = tuple(
        Member(
            Candidate(str(i), Artifact.of(program), ("0",) if i else ()),
            {str(t): value for t, value in enumerate(val[i])},
        )
        for i, program in enumerate(programs)
    )
    view = View(2, 3, members, last=("reflect", "accepted"))
    choice = MergeRule().find(view, random.Random(0))
    assert (choice is None) == (reference is None)
    if choice is None or reference is None:
        return
    assert (choice.parents, choice.ancestor) == (("1", "2"), "0")
    parents = tuple(view[name].candidate for name in choice.parents)
    proposal = Proposal(selected(choice.parents, choice.ancestor), parents, ())
    merge = Merge(lambda name: view[name].candidate, lambda: view)
    draft = anyio.run(merge.mutate, proposal, context())
    assert draft.artifact.as_dict() == reference[0]


@given(MATRIX.filter(lambda m: len(m) > 1 and len(m[0]) > 4), st.integers(0, 20))
def test_a_merge_is_tried_on_the_same_mix_of_tasks(matrix: list[Row], seed: int) -> None:
    one, two = ours(matrix)["0"], ours(matrix)["1"]
    made: Any = MergeProposer
    proposer = made(
        None, None, None, use_merge=True, max_merge_invocations=5, rng=random.Random(seed)
    )
    reference = proposer.select_eval_subsample_for_merged_program(one, two)
    drawn = MergeRule()._tasks(one, two, random.Random(seed))

    def mix(tasks: Sequence[str]) -> Counter[int]:
        return Counter((one[t] > two[t]) - (one[t] < two[t]) for t in tasks)

    assert len(set(drawn)) == len(drawn) == len(reference) == 5
    assert abs(mix(drawn)[1] - mix(reference)[1]) <= 1
    assert sum((mix(drawn) - mix(reference)).values()) <= 1


def test_a_merge_is_due_only_right_after_an_accepted_mutation() -> None:
    def view(last: tuple[str, str], merged: int = 0) -> View:
        return View(1, 2, (), last=last, merged=merged)

    assert MergeRule().due(view(("reflect", "accepted")))
    assert not MergeRule().due(view(("reflect", "rejected")))
    assert not MergeRule().due(view(("merge", "accepted")))
    assert not MergeRule().due(view(("seed", "accepted")))
    assert not MergeRule().due(view(("reflect", "accepted"), merged=5))

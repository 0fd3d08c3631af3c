"""Mutations: what they make, and what they must not."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.agents.demos import Demo, read_demos, write_demos
from evolith.core.artifact import Artifact
from evolith.core.candidate import Candidate
from evolith.core.events import Selected
from evolith.core.messages import Request, Response, Role
from evolith.core.ports import Chat, Scorer
from evolith.core.surface import Surface
from evolith.core.task import Task, TaskSet, Value
from evolith.operators.mutate.demonstrate import Demonstrate, answer_text
from evolith.operators.mutate.reflect import Reflect
from evolith.operators.proposal import Proposal, Record
from evolith.operators.protocols import Context, NothingProposed
from evolith.scorers.build import build_scorer
from evolith.scorers.config import AnswerConfig
from evolith.scorers.contains import ContainsConfig
from evolith.scorers.exact import ExactConfig
from evolith.scorers.f1 import F1Config
from evolith.scorers.fields import FieldsConfig
from evolith.scorers.json_equal import JsonConfig
from evolith.scorers.judge import Judge, JudgeConfig
from evolith.scorers.numeric import NumericConfig
from evolith.scorers.regex import RegexConfig

pytestmark = pytest.mark.anyio
LONG = "a long train task with many words that nobody should find again in a prompt anywhere"
TASKS = tuple(Task(f"t{n}", f"{LONG} {n}", answer=f"label{n % 3}") for n in range(30))


def proposal(artifact: Artifact, minibatch: Sequence[Task] = ()) -> Proposal:
    selected = Selected(
        item="p0001",
        ordinal=0,
        commits=1,
        version=0,
        parents=("seed",),
        tasks=tuple(task.id for task in minibatch),
        operator="x",
        components=("prompt.md",),
    )
    record = Record("What is 2 + 2?", "5", "Wrong: too large.", 0.0)
    return Proposal(selected, (Candidate("seed", artifact),), tuple(minibatch), evidence=(record,))


def context(reply: str = "", seen: list[Request] | None = None, item: str = "p0001") -> Context:
    async def ask(request: Request) -> Response:
        if seen is not None:
            seen.append(request)
        return Response(reply, 1, 1)

    def chat(role: Role, operator: str) -> Chat:
        assert (role, operator) == (Role.REFLECT, "reflect")
        return ask

    return Context(0, item, 0, TaskSet(TASKS, ()), Surface(), chat)


async def test_reflection_is_told_text_tasks_answers_and_feedback() -> None:
    seen: list[Request] = []
    artifact = Artifact.of({"prompt.md": "Add.\n"})
    draft = await Reflect().mutate(proposal(artifact), context("```\nAdd well.\n```", seen))
    assert draft.artifact.get("prompt.md") == "Add well.\n"
    said = seen[0].messages[0].content
    assert said.split("```")[1].strip() == "Add."
    for part in ("What is 2 + 2?", "Answer 1: 5", "Wrong: too large."):
        assert part in said


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("```\nAdd.\n```", "unchanged"),
        (f"```\nFor example: {LONG} 3\n```", "copies_tasks"),
        ("no fence", "no_fence"),
    ],
)
async def test_a_useless_reply_is_a_counted_failure(reply: str, code: str) -> None:
    artifact = Artifact.of({"prompt.md": "Add.\n"})
    with pytest.raises(NothingProposed) as refused:
        await Reflect().mutate(proposal(artifact), context(reply))
    assert refused.value.code == code


def solved(tasks: Sequence[Task]) -> Callable[[Proposal], Sequence[tuple[Task, str]]]:
    return lambda _: [(task, str(task.answer)) for task in tasks]


@given(number=st.integers(0, 200), most=st.integers(2, 9), has_some=st.booleans())
async def test_demonstrations_are_balanced_and_never_the_tasks_that_judge_them(
    *, number: int, most: int, has_some: bool
) -> None:
    shown = write_demos([Demo(TASKS[0].input, "label0")]) if has_some else ""
    artifact = Artifact.of({"prompt.md": "Label.", "demos.jsonl": shown})
    judged = TASKS[1:7]
    operator = Demonstrate("demos.jsonl", most, solved(TASKS))
    draft = await operator.mutate(proposal(artifact, judged), context(item=f"p{number}"))
    demos = read_demos(draft.artifact.get("demos.jsonl") or "")
    assert 1 <= len(demos) <= max(most, 1)
    assert len({demo.input for demo in demos}) == len(demos)
    assert not {demo.input for demo in demos} & {task.input for task in judged}
    if not has_some:
        counts = [sum(demo.output == f"label{n}" for demo in demos) for n in range(3)]
        assert max(counts) - min(counts) <= 1


def scorer_of(config: AnswerConfig | JudgeConfig, task: Task) -> Scorer:
    if isinstance(config, JudgeConfig):
        return Judge(config)
    return build_scorer(config, Path(), TaskSet((task,), ()))


@pytest.mark.parametrize(
    ("config", "answer", "shown"),
    [
        (ExactConfig(), "Paris", "Paris"),
        (ExactConfig(), ["Paris", "the city of Paris"], "Paris"),
        (ContainsConfig(), ["Paris", "Lutetia"], "Paris"),
        (F1Config(), ["in Paris", "Paris"], "in Paris"),
        (NumericConfig(), [2.5, 3], "2.5"),
        (NumericConfig(), 3, "3"),
        (RegexConfig(), [r"\d+ apples", "none"], "none"),
        (RegexConfig(), r"\d+ apples", None),
        (JsonConfig(), [1, "a"], '[1, "a"]'),
        (JsonConfig(), [], "[]"),
        (FieldsConfig(fields={"a": 1}), {"a": "é"}, '{"a": "é"}'),
        (JudgeConfig(rubric="Right?"), ["Paris", "Lutetia"], "Paris"),
        (JudgeConfig(rubric="Right?"), {"a": 1}, '{"a": 1}'),
        (JudgeConfig(rubric="Right?"), None, None),
    ],
)
def test_a_demonstration_shows_one_output_that_is_right(
    config: AnswerConfig | JudgeConfig, answer: Value, shown: str | None
) -> None:
    task = Task("t", "?", answer=answer)
    assert answer_text(task, scorer_of(config, task)) == shown


async def test_nothing_solved_means_nothing_proposed() -> None:
    artifact = Artifact.of({"prompt.md": "Label."})
    with pytest.raises(NothingProposed) as refused:
        await Demonstrate("demos.jsonl", 4, solved(())).mutate(proposal(artifact), context())
    assert refused.value.code == "no_solved_tasks"

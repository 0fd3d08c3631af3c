"""The user's own function judges, and its faults are told apart from wrong outputs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evolith.core.rollout import Trajectory
from evolith.core.score import Score
from evolith.core.task import Task
from evolith.errors import EvolithError
from evolith.plugins import load_callable
from evolith.scorers.function import Function, FunctionConfig
from evolith.testing.recording_chat import RecordingChat

TASK = Task("t1", "Capital of France?", answer=["Paris"], hidden={"region": "Ile-de-France"})

Grade = Callable[..., Score]


@pytest.fixture
def function(tmp_path: Path) -> Callable[..., Function]:
    """Make a scorer of the body of a function."""

    def made(body: str, kind: str = "def", **settings: object) -> Function:
        text = f"import math\nfrom evolith.core.score import Score\n{kind} grade(task, trajectory):"
        (tmp_path / "grading.py").write_text(f"{text}\n    {body}\n")
        config = FunctionConfig.model_validate({"function": "grading:grade", **settings})
        return Function(config, load_callable(config.function, tmp_path))

    return made


async def score(scorer: Function, output: str = "Rome") -> Score:
    return await scorer.score(TASK, Trajectory(output), RecordingChat())


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ("0.5", Score(0.5, passed=False)),
        ("1", Score(1, passed=True)),
        ("trajectory.output == 'Rome'", Score(1, passed=True)),
        ("trajectory.output in task.answer", Score(0, passed=False)),
        ("(0.25, 'too short')", Score(0.25, passed=False, feedback="too short")),
        ("{'score': 0.9, 'passed': True}", Score(0.9, passed=True)),
        ("{'score': True, 'feedback': 'good'}", Score(1, passed=True, feedback="good")),
        ("Score(0.5, passed=True, feedback='x')", Score(0.5, passed=True, feedback="x")),
        ("__import__('numpy').float32(0.5)", Score(0.5, passed=False)),
        ("__import__('numpy').bool_(True)", Score(1, passed=True)),
    ],
)
async def test_every_form_of_result_is_understood(
    kind: str, returned: str, expected: Score, function: Callable[..., Function]
) -> None:
    assert await score(function(f"return {returned}", kind)) == expected


@pytest.mark.anyio
async def test_the_threshold_decides_where_the_function_does_not_say(
    function: Callable[..., Function],
) -> None:
    assert (await score(function("return 0.5", threshold=0.5))).passed


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return math.nan", "not nan"),
        ("return math.inf", "not inf"),
        ("return 1.5", "a number from 0 to 1, not 1.5"),
        ("return -1", "not -1"),
        ("pass", "returned nothing (None)"),
        ("return '1'", "a value of type str"),
        ("return 1j", "a value of type complex"),
        ("return [1]", "a value of type list"),
        ("return (1, 2, 3)", "a value of type tuple"),
        ("return (None, 'x')", "returned nothing (None)"),
        ("return (1, None)", "feedback that is no text"),
        ("return {'feedback': 'x'}", "without a score"),
        ("return {'score': 1, 'reason': 'x'}", "the key 'reason'"),
        ("return {'score': 1, 'passed': 1}", "passed that is no bool"),
        ("return __import__('numpy').zeros(3)", "a value of type ndarray"),
        ("raise ValueError('no idea')", "grade raised ValueError: no idea"),
        ("import sys; sys.exit()", "grade raised SystemExit"),
    ],
)
async def test_what_is_no_score_is_a_failure_that_says_so(
    body: str, said: str, function: Callable[..., Function]
) -> None:
    with pytest.raises(EvolithError) as caught:
        await score(function(body))
    assert said in caught.value.message


@pytest.mark.anyio
async def test_an_exception_is_told_with_file_and_line(
    function: Callable[..., Function], tmp_path: Path
) -> None:
    with pytest.raises(EvolithError) as caught:
        await score(function("return 1 / 0"))
    assert caught.value.where == f"{tmp_path / 'grading.py'}:4"


@pytest.mark.anyio
async def test_the_answer_is_taken_out_of_feedback(function: Callable[..., Function]) -> None:
    feedback = (await score(function("return 0, f'not {task.answer[0]}'"))).feedback
    assert feedback == "not [hidden answer]"


@pytest.mark.anyio
async def test_hidden_values_are_taken_out_of_errors(function: Callable[..., Function]) -> None:
    with pytest.raises(EvolithError) as caught:
        await score(function("raise KeyError(task.hidden['region'])"))
    assert "Ile-de-France" not in str(caught.value)


@pytest.mark.anyio
async def test_the_answer_stays_where_the_user_asks_for_it(
    function: Callable[..., Function],
) -> None:
    scorer = function("return 0, f'not {task.answer[0]}'", reveal_answer=True)
    assert (await score(scorer)).feedback == "not Paris"


@pytest.mark.anyio
async def test_the_function_cannot_change_the_task(function: Callable[..., Function]) -> None:
    before = TASK.hash
    await score(function("task.answer.append('Rome'); task.hidden.clear(); return 1"))
    assert TASK.hash == before

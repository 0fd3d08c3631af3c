"""The Python API: functions and rows of one's own go in, a champion comes out."""

import contextlib
from pathlib import Path

import anyio
import pytest

from evolith import Budget, Options, Run, aevolve, evolve
from evolith.algorithms.config import DemosConfig, GepaConfig
from evolith.core.messages import Request
from evolith.core.rollout import Trajectory
from evolith.core.task import Task
from evolith.errors import ConfigError, TasksError
from evolith.session import replay

WORDS = ("ab", "cd", "ef")
ROWS = [{"input": f"{word} {n}", "answer": word[0]} for n in range(8) for word in WORDS]


def model(request: Request) -> str:
    """Answer with the first letter once the prompt says so; when asked to reflect, say so."""
    asked = request.messages[-1].content
    if "triple backticks" in asked:
        return "```\nGive the first letter.\n```"
    return asked[0] if "first letter" in request.messages[0].content else "?"


def grade(task: Task, trajectory: Trajectory) -> tuple[float, str]:
    return float(trajectory.output == task.answer), "compared"


def options(folder: Path, **settings: object) -> Options:
    return Options.model_validate({"run_dir": folder / "run", **settings})


def test_an_artifact_is_evolved_with_functions_of_ones_own(tmp_path: Path) -> None:
    run = evolve(
        "Answer.", ROWS, grade, model, budget=Budget(rollouts=400), options=options(tmp_path)
    )
    assert run.outcome.reason == "finished"
    assert run.champion.get("prompt.md") == "Give the first letter.\n"
    assert run.lineage[0].id == "seed"
    assert run.table[0]["outcome"] == "accepted"
    assert run.report.test.champion is not None


def test_an_agent_of_ones_own_is_evolved(tmp_path: Path) -> None:
    def agent(components: dict[str, str], task: Task, chat: object) -> str:
        return task.input[0] if "first letter" in components["prompt.md"] else "?"

    run = evolve(
        {"prompt.md": "Answer."},
        ROWS,
        None,
        model,
        agent=agent,
        algorithm=GepaConfig(proposals=2),
        options=options(tmp_path, schedule="async", in_flight=2),
    )
    assert run.champion.get("prompt.md") == "Give the first letter.\n"


def test_the_same_call_goes_on_with_a_run_that_its_budget_stopped(tmp_path: Path) -> None:
    def go(rollouts: int) -> Run:
        return evolve(
            "Answer.",
            ROWS,
            grade,
            model,
            algorithm=DemosConfig(proposals=2, minibatch=3),
            budget=Budget(rollouts=rollouts),
            options=options(tmp_path),
        )

    assert go(7).outcome.reason == "budget:rollouts"
    assert go(300).outcome.reason == "finished"


@pytest.mark.parametrize(
    ("algorithm", "kind"),
    [(None, "gepa"), (DemosConfig(proposals=1, minibatch=3), "demos")],
)
def test_a_run_is_reported_and_replayed_with_what_was_in_effect(
    tmp_path: Path, algorithm: DemosConfig | None, kind: str
) -> None:
    hashes = set()
    for name in ("one", "two"):
        project = tmp_path / name
        project.mkdir()
        with contextlib.chdir(project):
            run = evolve(
                "Answer.",
                ROWS,
                None,
                model,
                algorithm=algorithm,
                options=Options(run_dir=Path("runs", name)),
            )
        assert (run.report.algorithm, run.report.schedule) == (kind, "sync")
        moved = project.rename(tmp_path / f"{name}-moved")
        again = anyio.run(replay, moved / "runs" / name, tmp_path / f"{name}-again")
        assert again.same
        hashes.add(again.recorded)
    assert len(hashes) == 1


def test_it_can_be_awaited(tmp_path: Path) -> None:
    async def main() -> Run:
        return await aevolve("Answer.", ROWS, grade, model, options=options(tmp_path))

    assert anyio.run(main).outcome.complete


def test_a_champion_that_is_not_there_yet_is_said(tmp_path: Path) -> None:
    run = evolve("Answer.", ROWS, None, model, budget=Budget(rollouts=1), options=options(tmp_path))
    with pytest.raises(ConfigError, match="no champion yet"):
        _ = run.champion


def test_wrong_rows_start_nothing(tmp_path: Path) -> None:
    with pytest.raises(TasksError, match="input"):
        evolve("Answer.", [{"question": "?"}] * 9, None, model, options=options(tmp_path))

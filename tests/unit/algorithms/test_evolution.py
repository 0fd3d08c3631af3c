"""How proposals are decided, seen in whole runs on a model that is a function."""

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
import pytest

from evolith.archive.archive import Archive
from evolith.archive.reading import reading
from evolith.config import load_config
from evolith.core.task import Split
from evolith.errors import ConfigError, ProviderError, UserCodeFailed
from evolith.session import Outcome, resume, start
from evolith.testing.project import write_project

Go = Callable[..., Outcome]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture
def go(project: Path) -> Go:
    def run(settings: Mapping[str, object] | None = None, world: str = "") -> Outcome:
        """Run with settings, and with more code behind the model's."""
        text = (project / "world.py").read_text()
        (project / "mine.py").write_text(f"{text}\n\n{world}\n")
        models = {"models.task": "function:mine:answer", "models.reflect": "function:mine:reflect"}
        config = load_config(project / "evolith.toml", {**models, **(settings or {})})
        return anyio.run(start, config, project / "run")

    return run


def look(project: Path, into: Callable[[Archive], object]) -> object:
    with reading(project / "run") as archive:
        return into(archive)


def codes(archive: Archive) -> Counter[str]:
    return Counter(decided.verdict.code for decided in archive.state.decided.values())


@pytest.fixture(autouse=True)
def _fresh_modules() -> None:
    """Let each test import a `mine` of its own, as each run of the command line does."""
    sys.modules.pop("mine", None)


def test_gepa_improves_step_by_step_until_validation_is_perfect(go: Go, project: Path) -> None:
    assert go().message.endswith("is perfect on validation")
    with reading(project / "run") as archive:
        means = [archive.state.mean(c, Split.VAL) or 0 for c in archive.state.pool]
        assert means == sorted(means)
        assert (means[0], means[-1]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("reflect", "code"),
    [
        ("return 'no fence at all'", "no_fence"),
        ("return '```\\n```'", "empty"),
        ("return '```\\nSay on which shelf it belongs.\\n```'", "unchanged"),
        ("return '```\\nworse\\n```'", "minibatch_not_better"),
        ("raise TruncatedResponse('the answer was cut')", "model_failure"),
        ("raise ValueError('boom')", "operator_raised"),
    ],
)
def test_a_useless_reflection_is_counted_and_the_run_goes_on(
    go: Go, project: Path, reflect: str, code: str
) -> None:
    world = f"from evolith.errors import TruncatedResponse\ndef reflect(request):\n    {reflect}"
    outcome = go({"algorithm.proposals": 3}, world)
    assert outcome.reason == "finished"
    with reading(project / "run") as archive:
        assert codes(archive)[code] == 3 or code == "minibatch_not_better"
        assert codes(archive)[code] >= 1
        assert archive.state.champion == "seed"


def test_an_artifact_whose_score_is_known_is_not_evaluated_again(go: Go, project: Path) -> None:
    world = "def reflect(request):\n    return '```\\nthe same\\n```'"
    go({"algorithm": {"kind": "best_of_n", "proposals": 4}}, world)
    with reading(project / "run") as archive:
        assert codes(archive) == {"seed": 1, "joined": 1, "duplicate": 3}
        assert sum(len(r) for (_, s), r in archive.state.rollouts.items() if s is Split.VAL) == 20


def test_an_artifact_that_only_lost_on_a_minibatch_has_another_chance(
    go: Go, project: Path
) -> None:
    world = "def reflect(request):\n    return '```\\ncup: top\\n```'"
    go({"algorithm.proposals": 10, "algorithm.minibatch": 1}, world)
    with reading(project / "run") as archive:
        found = codes(archive)
        assert found["minibatch_not_better"] >= 1
        assert found["joined"] == 1


def test_a_run_that_has_nothing_more_to_compare_ends(go: Go, project: Path) -> None:
    world = "def reflect(request):\n    return 'never a fence'"
    outcome = go({"algorithm": {"kind": "gepa"}}, world)
    assert outcome.reason == "finished"
    assert "gave nothing to compare" in outcome.message


def test_a_parent_that_is_perfect_on_the_minibatch_is_skipped(go: Go, project: Path) -> None:
    world = (
        "def answer(request):\n"
        "    sort, number = request.messages[-1].content.split()\n"
        "    return SHELVES[sort] if int(number) % 2 else 'unknown'"
    )
    go({"algorithm.proposals": 12, "algorithm.minibatch": 1}, world)
    with reading(project / "run") as archive:
        skipped = [d for d in archive.state.decided.values() if d.verdict.outcome == "skipped"]
        assert skipped
        assert all(d.before == 1.0 and d.candidate is None for d in skipped)


def test_demos_keeps_only_sets_that_beat_the_champion(go: Go, project: Path) -> None:
    world = (
        "def answer(request):\n"
        "    shown = {m.content for m in request.messages if m.role == 'assistant'}\n"
        "    right = SHELVES[request.messages[-1].content.split()[0]]\n"
        "    return right if right in shown else 'unknown'"
    )
    settings = {
        "algorithm": {"kind": "demos", "proposals": 10, "minibatch": 4, "demos": {"most": 3}},
    }
    go(settings, world)
    with reading(project / "run") as archive:
        state = archive.state
        means = [state.mean(c, Split.VAL) or 0.0 for c in state.pool]
        assert means == sorted(set(means))
        assert means[-1] > 0.3
        batches = {selected.tasks for selected in state.selected.values()}
        assert len(batches) == 1


def test_best_of_n_starts_every_proposal_from_the_seed(go: Go, project: Path) -> None:
    go({"algorithm": {"kind": "best_of_n", "proposals": 5}})
    with reading(project / "run") as archive:
        assert {s.parents for s in archive.state.selected.values()} == {("seed",)}
        assert codes(archive)["joined"] + codes(archive)["duplicate"] == 5


def test_operators_are_mixed_by_weight(go: Go, project: Path) -> None:
    go(
        {
            "algorithm.operators": {"reflect": 1, "demos": 3},
            "algorithm.proposals": 20,
            "algorithm.skip_perfect": False,
        }
    )
    with reading(project / "run") as archive:
        used = Counter(selected.operator for selected in archive.state.selected.values())
        assert used["demos"] > used["reflect"] > 0


def test_an_edit_outside_the_surface_is_refused_before_it_costs_an_evaluation(
    go: Go, project: Path
) -> None:
    with pytest.raises(ConfigError, match=r"may not edit demos\.jsonl"):
        go({"artifact.surface": ["prompt.md"], "algorithm.operators": {"demos": 1}})
    assert not (project / "run").exists()


def test_a_server_that_nobody_reaches_ends_the_run_soon_and_it_can_be_resumed(
    go: Go, project: Path
) -> None:
    world = (
        "import pathlib\n"
        "from evolith.errors import TransientFailure\n"
        "up = pathlib.Path(__file__).parent / 'up'\n"
        "right = answer\n"
        "def answer(request):\n"
        "    if not up.exists():\n"
        "        raise TransientFailure('the connection was refused')\n"
        "    return right(request)"
    )
    dead = {"models.task": {"use": "function:mine:answer", "retries": 0}}
    with pytest.raises(ProviderError, match="rollouts in a row failed"):
        go(dead, world)
    for _ in range(4):  # however often it is tried in vain
        with pytest.raises(ProviderError, match="rollouts in a row failed"):
            anyio.run(resume, project / "run")
    (project / "up").touch()
    assert anyio.run(resume, project / "run").reason == "finished"
    with reading(project / "run") as archive:
        assert archive.state.mean(archive.state.champion or "", Split.VAL) == 1.0


def test_a_scorer_that_fails_on_everything_ends_the_run_soon(go: Go, project: Path) -> None:
    (project / "judge.py").write_text("def grade(task, trajectory):\n    return float('nan')\n")
    with pytest.raises(UserCodeFailed, match="rollouts in a row failed"):
        go({"scorer": {"kind": "function", "function": "judge:grade"}})


def test_an_answer_that_runs_into_its_limit_is_wrong_and_no_fault_of_the_provider(
    go: Go, project: Path
) -> None:
    world = (
        "from evolith.errors import TruncatedResponse\n"
        "def answer(request):\n"
        "    raise TruncatedResponse('the answer was cut at 256 tokens', tokens=(5, 256))"
    )
    go({"algorithm.proposals": 1}, world)
    with reading(project / "run") as archive:
        rows = archive.state.rollouts["seed", Split.VAL].values()
        assert {(row.value, row.boundary) for row in rows} == {(0.0, None)}
        assert {row.cost.tokens for row in rows} == {261}


def test_a_child_that_crashes_where_it_would_be_wrong_is_no_champion(go: Go, project: Path) -> None:
    (project / "solving.py").write_text(
        "def solve(components, task, chat):\n"
        "    if 'crash' in components['prompt.md'] and task.id == 'row-6':\n"
        "        raise ValueError('boom')\n"
        "    return 'top'\n"
    )
    (project / "judge.py").write_text(
        "def grade(task, trajectory):\n    return 0.5 if task.id == 'row-6' else 0.9\n"
    )
    world = "def reflect(request):\n    return '```\\ncrash\\n```'"
    go(
        {
            "agent": {"kind": "function", "function": "solving:solve"},
            "scorer": {"kind": "function", "function": "judge:grade"},
            "algorithm": {"kind": "best_of_n", "proposals": 1},
        },
        world,
    )
    with reading(project / "run") as archive:
        assert codes(archive) == {"seed": 1, "agent_fails": 1}
        assert archive.state.champion == "seed"

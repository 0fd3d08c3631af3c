from pathlib import Path

import pytest

from evolith.config import RunConfig, load_config
from evolith.core.events import Called, SessionEnded
from evolith.simulate.draws import Latency
from evolith.simulate.run import Scene, Simulated, simulate
from evolith.simulate.world import Kind
from evolith.testing.project import write_project


@pytest.fixture
def config(tmp_path: Path) -> RunConfig:
    write_project(tmp_path / "project")
    overrides = {"run.schedule": "async", "run.in_flight": 8, "run.workers": 64}
    return load_config(tmp_path / "project/evolith.toml", overrides)


def scene(kind: Kind = Kind.ADDITIVE, minutes: float = 3.0, limit: int | None = None) -> Scene:
    return Scene(
        kind, Latency(2.0, 0.8), requests_per_minute=limit, target=0.4, seconds=60 * minutes
    )


def reason(run: Simulated) -> str:
    ended = [e.event for e in run.store.entries() if isinstance(e.event, SessionEnded)]
    return ended[-1].reason


def test_the_same_seed_gives_the_same_run_event_for_event(config: RunConfig) -> None:
    one, two = (simulate(config, scene(Kind.NOISY, 1), 3) for _ in range(2))
    assert one.store.hash() == two.store.hash()
    assert one.end == two.end
    assert simulate(config, scene(Kind.NOISY, 1), 4).store.hash() != one.store.hash()


def test_a_run_ends_when_its_champion_truly_is_at_the_target(config: RunConfig) -> None:
    run = simulate(config, scene(minutes=30), 0)
    assert run.judge.pick is not None
    assert run.judge.true >= 0.4
    assert run.judge.pick.seconds == pytest.approx(run.end.seconds)
    assert run.judge.hit is not None
    assert run.judge.hit.seconds <= run.judge.pick.seconds
    assert (run.proposals > 0, run.accepted > 0) == (True, True)
    assert 0 < run.used <= 1
    assert reason(run) == "aborted"


def test_a_run_that_does_not_get_there_ends_with_its_time(config: RunConfig) -> None:
    run = simulate(config, scene(minutes=1), 0)
    assert run.judge.pick is None
    assert 59 < run.end.seconds <= 60
    assert reason(run) == "budget:seconds"


def test_the_budget_and_the_number_of_proposals_of_the_config_do_not_end_it(
    config: RunConfig,
) -> None:
    small = config.model_copy(update={"budget": config.budget.model_copy(update={"rollouts": 20})})
    run = simulate(small, scene(minutes=3), 0)
    assert run.proposals > 8  # the project makes no more
    assert run.end.calls > 20


def test_a_limit_of_requests_is_kept_and_slows_the_run_down(config: RunConfig) -> None:
    run = simulate(config, scene(minutes=4, limit=60), 0)
    assert run.end.calls <= 4 * 60
    answered = [e for e in run.store.entries() if isinstance(e.event, Called) and e.event.text]
    assert len(answered) > 100


def test_nobody_learns_of_the_true_score(config: RunConfig) -> None:
    run = simulate(config, scene(Kind.NOISY, 2), 0)
    asked = {
        run.store.blob(e.event.request) for e in run.store.entries() if isinstance(e.event, Called)
    }
    assert not any("true score" in text for text in asked)
    assert run.judge.curve[-1][2] == run.judge.own

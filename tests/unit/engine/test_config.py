"""The `[run]` table: what fits together, and what is refused with a way out."""

from pathlib import Path

import pytest

from evolith.config import RunConfig, load_config
from evolith.engine.config import RunSettings, WorkersSettings
from evolith.engine.control import Fixed, Median, ProportionalIntegral
from evolith.engine.stage import Workers
from evolith.engine.staleness import Rules
from evolith.errors import ConfigError

LEAST = '[tasks]\nfile = "tasks.jsonl"\n[models]\ntask = "local:smollm2"\n'
ASYNC_ONLY = {
    "staleness": '{ policy = "guarded" }',
    "speculation": "{ evaluate = 0.5 }",
    "give_up": "0.05",
    "reorder": "true",
    "control": '{ policy = "pi" }',
    "stages": "{ evaluate = { most = 2 } }",
}


def load(tmp_path: Path, run: str, algorithm: str = "gepa") -> RunConfig:
    path = tmp_path / "evolith.toml"
    path.write_text(f'{LEAST}[algorithm]\nkind = "{algorithm}"\n[run]\n{run}\n', encoding="utf-8")
    return load_config(path, {})


def refusal(tmp_path: Path, run: str, algorithm: str = "gepa") -> str:
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, run, algorithm)
    return str(refused.value).replace(str(tmp_path), "DIR")


@pytest.mark.parametrize("name", ASYNC_ONLY)
def test_a_setting_for_overlapping_work_is_refused_in_a_synchronous_run(
    name: str, tmp_path: Path
) -> None:
    said = refusal(tmp_path, f"{name} = {ASYNC_ONLY[name]}", "demos")
    assert f"{name} has no use in a synchronous run" in said
    assert f"run.{name}" in said
    assert 'run.schedule = "async"' in said
    load(tmp_path, f'schedule = "async"\n{name} = {ASYNC_ONLY[name]}', "demos")


def test_a_synchronous_run_may_say_that_nothing_overlaps(tmp_path: Path) -> None:
    text = 'in_flight = 1\nreorder = false\nstaleness = { policy = "full" }'
    assert load(tmp_path, text).run == RunSettings()


def test_several_items_in_flight_are_refused_in_a_synchronous_run(tmp_path: Path) -> None:
    said = refusal(tmp_path, "in_flight = 2")
    assert "a synchronous run has one item in flight" in said
    assert 'run.schedule = "async", or leave in_flight out' in said


def test_flash_is_refused_in_a_synchronous_run(tmp_path: Path) -> None:
    said = refusal(tmp_path, "", "flash")
    assert "run.schedule" in said
    assert 'run.schedule = "async"' in said
    load(tmp_path, 'schedule = "async"', "flash")
    load(tmp_path, 'schedule = "async"\nin_flight = 1', "flash")


@pytest.mark.parametrize(
    ("algorithm", "name"),
    [
        ("gepa", "give_up"),
        ("best_of_n", "staleness"),
        ("best_of_n", "speculation"),
        ("best_of_n", "give_up"),
        ("flash", "staleness"),
        ("flash", "speculation"),
        ("flash", "give_up"),
    ],
)
def test_a_setting_that_the_algorithm_has_no_use_for_is_refused_with_those_that_have(
    algorithm: str, name: str, tmp_path: Path
) -> None:
    said = refusal(tmp_path, f'schedule = "async"\n{name} = {ASYNC_ONLY[name]}', algorithm)
    assert f"the algorithm {algorithm} has no use for {name}" in said
    assert f"run.{name}" in said
    assert "demos" in said


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("speculation = { rollout = 0 }", "run.speculation.rollout"),
        ("speculation = { evaluate = 1.5 }", "run.speculation.evaluate"),
        ('speculation = { evaluate = "sometimes" }', "run.speculation.evaluate"),
        ('staleness = { policy = "strict" }', "run.staleness.policy"),
        ("staleness = { limit = -1 }", "run.staleness.limit"),
        ("staleness = { similarity = 2 }", "run.staleness.similarity"),
        ("staleness = { batch = 0 }", "run.staleness.batch"),
        ("staleness = { wait = -1 }", "run.staleness.wait"),
        ("give_up = 1", "run.give_up"),
        ("give_up = -0.1", "run.give_up"),
        ('control = { policy = "fuzzy" }', "run.control.policy"),
        ("control = { tau = 0 }", "run.control.tau"),
        ("stages = { commit = { most = 2 } }", "run.stages"),
        ("stages = { propose = { most = 0 } }", "run.stages.propose.most"),
        ("stages = { propose = { least = 2 } }", "run.stages.propose.most"),
        ("stages = { propose = { least = 3, most = 2 } }", "run.stages"),
        ("in_flight = 0", "run.in_flight"),
        ("workers = 0", "run.workers"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_its_key(text: str, key: str, tmp_path: Path) -> None:
    assert key in refusal(tmp_path, f'schedule = "async"\n{text}', "demos")


def test_bounds_in_the_wrong_order_are_said_with_both_numbers(tmp_path: Path) -> None:
    said = refusal(tmp_path, 'schedule = "async"\nstages = { propose = { least = 3, most = 2 } }')
    assert "at least 3 and at most 2 workers is nothing" in said


def test_a_stage_has_up_to_as_many_workers_as_items_are_in_flight_unless_it_is_named() -> None:
    stages: dict[str, object] = {"evaluate": WorkersSettings(least=2, most=3)}
    run = RunSettings.model_validate({"schedule": "async", "in_flight": 9, "stages": stages})
    assert run.pool("propose") == Workers(1, 9, 9)
    assert run.pool("evaluate") == Workers(2, 3, 3)


def test_pools_that_are_resized_begin_in_the_middle_of_their_bounds() -> None:
    run = RunSettings.model_validate(
        {"schedule": "async", "in_flight": 9, "control": {"policy": "median"}}
    )
    assert run.pool("propose") == Workers(1, 9, 5)


def test_settings_become_the_rules_of_the_engine() -> None:
    run = RunSettings.model_validate(
        {
            "schedule": "async",
            "staleness": {"policy": "reflective", "limit": 7, "similarity": 0.5},
            "control": {"policy": "median", "tau": 3},
        }
    )
    assert run.staleness.rules() == Rules("reflective", 7, 0.5)
    assert run.control.control() == Median(3)
    assert isinstance(RunSettings().control.control(), Fixed)
    pi = RunSettings.model_validate({"schedule": "async", "control": {"policy": "pi"}})
    assert isinstance(pi.control.control(), ProportionalIntegral)

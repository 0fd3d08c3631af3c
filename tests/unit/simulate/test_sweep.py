import io
from pathlib import Path

import pytest
from rich.console import Console

from evolith.config import load_config
from evolith.errors import UsageError
from evolith.simulate.draws import Latency
from evolith.simulate.run import Scene
from evolith.simulate.sweep import AS_IT_IS, Row, settings_of, sweep
from evolith.simulate.table import print_sweep
from evolith.simulate.world import Kind
from evolith.testing.project import write_project


def test_without_any_set_the_config_is_taken_as_it_is() -> None:
    assert settings_of([]) == {AS_IT_IS: {}}


def test_every_combination_is_made_and_named_by_what_differs() -> None:
    found = settings_of(
        ["run.schedule=async", "run.in_flight=4,16", "algorithm.skip_perfect=true,false"]
    )
    assert list(found) == [
        AS_IT_IS,
        "in_flight=4, skip_perfect=true",
        "in_flight=4, skip_perfect=false",
        "in_flight=16, skip_perfect=true",
        "in_flight=16, skip_perfect=false",
    ]
    assert found["in_flight=16, skip_perfect=false"] == {
        "run.schedule": "async",
        "run.in_flight": 16,
        "algorithm.skip_perfect": False,
    }


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("run.x=sync,async", ["sync", "async"]),
        ("run.x=adaptive,0.5", ["adaptive", 0.5]),
        ('run.x="a,b"', ["a,b"]),
        ("run.x={a = 1, b = 2}, {a = 3}", [{"a": 1, "b": 2}, {"a": 3}]),
    ],
)
def test_values_are_read_as_toml_and_words_need_no_quotes(text: str, values: list[object]) -> None:
    assert [row["run.x"] for row in list(settings_of([text]).values())[1:]] == values


@pytest.mark.parametrize("text", ["run.in_flight", "run.in_flight=", "budget.tokens=5", "run=1"])
def test_a_set_that_says_nothing_to_a_simulation_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        settings_of([text])
    assert refused.value.where == "--set"


def test_a_sweep_gives_a_row_a_setting_and_counts_its_runs(tmp_path: Path) -> None:
    write_project(tmp_path / "project")
    config = load_config(tmp_path / "project/evolith.toml")
    done: list[int] = []
    scene = Scene(Kind.ADDITIVE, Latency(2.0, 0.8), seconds=60, train=10, val=10)
    rows = list(sweep({"one": config, "two": config}, scene, 2, lambda: done.append(1)))
    assert [(row.name, row.seeds) for row in rows] == [("one", 2), ("two", 2)]
    assert len(done) == 4
    assert rows[0].calls == rows[1].calls > 10


def test_the_table_fits_80_columns_and_says_what_it_is_not() -> None:
    row = Row(
        "in_flight=16, policy=reflective", 4, 5, 7261.0, 123_456, 12_345_678, 1234, 567, 0.8, 0.21
    )
    out = io.StringIO()
    scene = Scene(Kind.NOISY, Latency(2.0, 0.8), requests_per_minute=60)
    print_sweep([row, row], scene, Console(file=out, width=80))
    shown = out.getvalue()
    assert max(map(len, shown.splitlines())) <= 80
    for part in (
        "toy world (noisy), not of your tasks",
        ">121.0",
        ">123,456",
        ">12.3M",
        "4/5",
        "80%",
    ):
        assert part in shown
    assert "60 requests a minute" in " ".join(shown.split())

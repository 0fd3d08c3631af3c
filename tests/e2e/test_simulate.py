"""`evolith simulate` as a user has it."""

from collections.abc import Callable

Cli = Callable[..., tuple[int, str, str]]
QUICK = ("--world", "additive", "--seeds", "1", "--minutes", "2")


def test_settings_are_put_side_by_side_without_a_call_or_a_folder(
    evolith: Cli, project: object
) -> None:
    sets = ("--set", "run.schedule=async", "--set", "run.in_flight=2,8")
    code, out, _ = evolith("simulate", "evolith.toml", *QUICK, *sets)
    assert code == 0
    assert "toy world (additive), not of your tasks" in out
    assert "10 train tasks, 10 val tasks" in out
    for name in ("as configured", "in_flight=2", "in_flight=8"):
        assert f"\n  {name} " in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_same_simulation_says_the_same(evolith: Cli) -> None:
    one, two = (evolith("simulate", "evolith.toml", *QUICK) for _ in range(2))
    assert one[1] == two[1]


def test_a_setting_that_the_config_refuses_is_refused_before_anything_is_played(
    evolith: Cli,
) -> None:
    code, out, err = evolith("simulate", "evolith.toml", *QUICK, "--set", "run.in_flight=4")
    assert (code, out) == (2, "")
    assert 'set run.schedule = "async"' in err.lower().replace("\n", " ").lower()

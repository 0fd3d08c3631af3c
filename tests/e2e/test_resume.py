"""What a resumed run may have other than before, as a user gives it."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evolith.testing.fault_server import completion, serving, status

Cli = Callable[..., tuple[int, str, str]]
RUN = "runs/shelves-1"


def spent(evolith: Cli) -> dict[str, object]:
    total = json.loads(evolith("report", RUN, "--json")[1])["cost"]["total"]
    assert isinstance(total, dict)
    return total


@pytest.mark.parametrize("given", ["--rollouts=10", "--tokens=1", "--seconds=0.0001"])
def test_a_limit_that_is_passed_is_refused_and_does_not_stick(evolith: Cli, given: str) -> None:
    assert evolith("run", "evolith.toml", "--rollouts", "15")[0] == 5
    before = spent(evolith)
    code, out, err = evolith("resume", RUN, given)
    assert (code, out) == (2, "")
    assert "the run has spent" in err
    assert "Give more than" in err
    assert spent(evolith) == before
    code, _, err = evolith("resume", RUN, "--rollouts", "1000")
    assert code == 0, err


def test_a_run_that_its_budget_cut_short_says_so_though_it_was_tested(evolith: Cli) -> None:
    code, out, err = evolith("run", "evolith.toml", "--rollouts", "60")
    assert code == 0
    assert "Sealed test" in out
    assert "The budget of rollouts cut the run short" in " ".join(out.split())
    said = " ".join(err.split())
    assert "The search was cut short: the next step does not fit into the budget of 60" in said
    assert err.endswith(f"  Go on with a larger limit with: evolith resume {RUN}\n")
    code, out, err = evolith("resume", RUN, "--rollouts", "1000")
    assert code == 0
    assert "cut short" not in out + err


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """Set variables of the environment for a while."""
    os.environ.update(values)
    try:
        yield
    finally:
        for name in values:
            del os.environ[name]


def model(project: Path, **settings: object) -> None:
    """Have a server answer the tasks."""
    table = ", ".join(f"{key} = {json.dumps(value)}" for key, value in settings.items())
    text = (project / "evolith.toml").read_text(encoding="utf-8")
    start = text.index("task = ")
    rest = text[text.index("\n", start) :]
    use = f'task = {{ use = "openai:m", retries = 0, {table} }}'
    (project / "evolith.toml").write_text(f"{text[:start]}{use}{rest}", encoding="utf-8")


def test_a_run_with_a_wrong_key_address_and_price_goes_on_with_the_right_ones(
    evolith: Cli, project: Path
) -> None:
    with serving(status(401, "wrong key")) as wrong, serving(completion("low")) as right:
        price = "price = { tokens_in = 1, tokens_out = 1 }"
        with environment(WRONG_KEY="one", RIGHT_KEY="two"):
            model(project, base_url=wrong.url, api_key_env="WRONG_KEY", free=True)
            assert evolith("run", "evolith.toml")[0] == 4
            model(project, base_url=right.url, api_key_env="RIGHT_KEY")
            text = (project / "evolith.toml").read_text(encoding="utf-8")
            priced = text.replace('"RIGHT_KEY"', f'"RIGHT_KEY", {price}')
            (project / "evolith.toml").write_text(priced, encoding="utf-8")
            code, out, err = evolith("resume", RUN, "--config", "evolith.toml")
            assert code == 0, err
            assert evolith("replay", RUN)[0] == 0
    assert "Sealed test" in out
    assert spent(evolith)["money"] != "0"


def test_another_model_is_refused(evolith: Cli, project: Path) -> None:
    assert evolith("run", "evolith.toml", "--rollouts", "15")[0] == 5
    text = (project / "evolith.toml").read_text(encoding="utf-8")
    (project / "other.toml").write_text(text.replace("world:answer", "world:reflect"))
    code, _, err = evolith("resume", RUN, "--config", "other.toml", "--rollouts", "1000")
    assert code == 2
    assert "the settings are not those that the run was begun with" in err

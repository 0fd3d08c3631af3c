"""From settings to what is used."""

import anyio
import pytest

from evolith.core.messages import Role
from evolith.models.build import build_gates
from evolith.models.config import ModelConfig, ModelsConfig
from evolith.simulate.clock import run_virtual


def test_roles_under_one_key_share_a_gate_and_others_have_their_own() -> None:
    models = ModelsConfig(
        task=ModelConfig(use="openai:small"),
        reflect=ModelConfig(use="openai:large", concurrency=4),
        judge=ModelConfig(use="openai:small", api_key_env="OTHER"),
    )
    gates = build_gates(models)
    assert set(gates) == {models.of(Role.TASK).provider, models.of(Role.JUDGE).provider}


@pytest.mark.parametrize(("task", "reflect"), [(60, None), (None, 60), (60, 600), (600, 60)])
@pytest.mark.parametrize("name", ["requests_per_minute", "tokens_per_minute"])
def test_the_smallest_limit_that_a_role_states_holds_for_all_under_its_key(
    name: str, task: int | None, reflect: int | None
) -> None:
    models = ModelsConfig(
        task=ModelConfig.model_validate({"use": "openai:small", name: task}),
        reflect=ModelConfig.model_validate({"use": "openai:large", name: reflect}),
    )

    async def ten_calls() -> float:
        (gate,) = build_gates(models).values()
        for _ in range(10):
            async with gate.passing(1):
                pass
        return anyio.current_time()

    assert run_virtual(ten_calls) == pytest.approx(9, rel=0.05)


def test_the_gate_has_the_largest_concurrency_since_it_bounds_each_model() -> None:
    models = ModelsConfig(
        task=ModelConfig(use="openai:small", concurrency=100),
        reflect=ModelConfig(use="openai:large", concurrency=4),
    )

    async def figures() -> int:
        (gate,) = build_gates(models).values()
        return gate.figures().concurrency

    assert run_virtual(figures) == 100

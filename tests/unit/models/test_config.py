"""The settings of a model: what is said of those that mean nothing or could leak."""

import pytest
from pydantic import ValidationError

from evolith.core.messages import Role
from evolith.models.config import ModelConfig, ModelsConfig


def refusal(**settings: object) -> str:
    with pytest.raises(ValidationError) as refused:
        ModelConfig.model_validate({"use": "openai:x", **settings})
    return refused.value.errors(include_input=False, include_url=False)[0]["msg"]


def test_a_role_that_is_left_out_uses_the_task_model() -> None:
    models = ModelsConfig(task="local:smollm2", judge=ModelConfig(use="openai:x", free=True))
    assert models.of(Role.TASK) == ModelConfig(use="local:smollm2")
    assert models.of(Role.REFLECT) == models.of(Role.TASK)
    assert models.of(Role.JUDGE).free


def test_only_the_first_colon_ends_the_kind() -> None:
    config = ModelConfig(use="openai:qwen2.5:14b")
    assert (config.kind, config.model) == ("openai", "qwen2.5:14b")


@pytest.mark.parametrize("use", ["gpt-4o", "openai:", "ollama:llama3", ""])
def test_what_names_no_model_is_refused_with_the_ways(use: str) -> None:
    assert "write one of openai:MODEL" in refusal(use=use)


@pytest.mark.parametrize("key", ["sk-abc123", "AbCdEf0123456789", "a" * 40, "A" * 65])
def test_a_key_in_place_of_the_name_of_its_variable_is_refused(key: str) -> None:
    said = refusal(api_key_env=key)
    assert "not the key itself" in said
    assert key not in said


@pytest.mark.parametrize(
    "url", ["localhost:8000", "ftp://host/v1", "http://", "http://[::1", "http://h:99999/v1"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    assert "no address" in refusal(base_url=url)


@pytest.mark.parametrize("url", ["https://me:pass@host/v1", "https://host/v1?key=secret"])
def test_an_address_with_a_secret_is_refused_without_repeating_it(url: str) -> None:
    said = refusal(base_url=url)
    assert "may be secret" in said
    assert "pass@" not in said
    assert "key=secret" not in said


@pytest.mark.parametrize(
    ("name", "value"),
    [("base_url", "http://h/v1"), ("api_key_env", "OTHER"), ("structured", "openai")],
)
def test_a_setting_that_means_nothing_to_the_model_is_refused(name: str, value: str) -> None:
    assert f"{name} means nothing to local:smollm2" in refusal(use="local:smollm2", **{name: value})


def test_free_and_a_price_contradict_each_other() -> None:
    assert "remove one of the two" in refusal(free=True, price={"tokens_in": 1, "tokens_out": 1})


def test_settings_are_read_back_as_they_were_written() -> None:
    config = ModelConfig.model_validate(
        {"use": "openai:x", "price": {"tokens_in": 2.5, "tokens_out": 10}}
    )
    assert ModelConfig.model_validate_json(config.model_dump_json()) == config
    local = ModelConfig(use="local:smollm2")
    assert ModelConfig.model_validate(local.model_dump()) == local


@pytest.mark.parametrize("name", ["requests_per_minute", "tokens_per_minute", "concurrency"])
@pytest.mark.parametrize("value", [0, -5, 1.5])
def test_a_limit_that_lets_nothing_through_is_refused(name: str, value: float) -> None:
    assert refusal(**{name: value})


def test_models_under_one_key_at_one_server_share_its_limits() -> None:
    one, two = ModelConfig(use="openai:a"), ModelConfig(use="openai:b", timeout=5)
    other = ModelConfig(use="openai:a", api_key_env="OTHER")
    assert one.provider == two.provider
    assert one.provider != other.provider

"""What a model costs: own price, free, the table, or a refusal that says the ways out."""

import re
from decimal import Decimal

import pytest

from evolith.core.budget import FREE, Price
from evolith.errors import ConfigError
from evolith.models.config import ModelConfig
from evolith.models.pricing import price_of, price_table


@pytest.mark.parametrize("use", ["local:smollm2", "scripted:a.jsonl", "function:a:b"])
def test_a_model_in_this_process_is_free(use: str) -> None:
    assert price_of(ModelConfig(use=use)) == FREE


def test_a_model_that_is_said_to_be_free_is_free() -> None:
    assert price_of(ModelConfig(use="openai:gpt-4o", free=True)) == FREE


@pytest.mark.parametrize("use", ["openai:gpt-4o", "openai:mine", "function:a:b"])
def test_a_price_of_ones_own_counts_before_all_others(use: str) -> None:
    config = ModelConfig.model_validate({"use": use, "price": {"tokens_in": 0.1, "tokens_out": 7}})
    assert price_of(config) == Price(Decimal("0.1"), Decimal(7))


def test_a_known_model_has_its_list_price() -> None:
    assert price_of(ModelConfig(use="openai:gpt-4o-mini")) == Price(Decimal("0.15"), Decimal("0.6"))


def test_a_list_price_holds_at_its_sellers_host_alone() -> None:
    with pytest.raises(ConfigError, match=r"gpt-4o-mini at llm\.example\.org is not known"):
        price_of(ModelConfig(use="openai:gpt-4o-mini", base_url="https://llm.example.org/v1"))
    address = "https://api.deepseek.com/v1"
    assert price_of(ModelConfig(use="openai:deepseek-flash", base_url=address)).tokens_in > 0


def test_an_unknown_model_is_refused_with_the_nearest_name_and_the_three_ways_out() -> None:
    with pytest.raises(ConfigError) as refused:
        price_of(ModelConfig(use="openai:gpt4o-mini"))
    for way in ("price = {", "free = true", "such as gpt-4o-mini"):
        assert way in refused.value.fix


def test_every_entry_is_dated_and_plausible() -> None:
    for (host, model), entry in price_table().items():
        assert re.fullmatch(r"20\d\d-\d\d(-\d\d)?", entry.as_of), (host, model)
        assert entry.source
        assert 0 < entry.price.tokens_in <= entry.price.tokens_out < 1000

"""What a model costs: by the config, by the dated price table, or nothing."""

import tomllib
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from evolith.core.budget import FREE, Price
from evolith.errors import ConfigError
from evolith.models.config import ModelConfig

LOCAL = ("local", "scripted", "function")
"""Kinds that run in this process and cost nothing."""


@cache
def price_table() -> dict[str, Price]:
    """Return the list prices that ship with Evolith, by model name."""
    text = files("evolith.models").joinpath("prices.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text, parse_float=Decimal)["price"]
    return {
        name: Price(Decimal(row["tokens_in"]), Decimal(row["tokens_out"]))
        for name, row in rows.items()
    }


def price_of(config: ModelConfig) -> Price:
    """Return the price of a model.

    Raises:
        ConfigError: nobody knows it, so that no budget of money could be kept.
    """
    if config.price is not None:
        return Price(config.price.tokens_in, config.price.tokens_out)
    if config.free or config.kind in LOCAL:
        return FREE
    table = price_table()
    if config.base_url is None and config.model in table:
        return table[config.model]
    near = get_close_matches(config.model, table, n=1)
    known = f"the price table knows {near[0]}; " if near and config.base_url is None else ""
    raise ConfigError(
        f"the price of {config.model} is not known",
        where="models",
        fix=f"{known}give price = {{ tokens_in = ..., tokens_out = ... }} in US dollars a million "
        "tokens, or free = true for a model on your own machine",
    )

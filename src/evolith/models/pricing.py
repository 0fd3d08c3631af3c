"""What a model costs: by the config, by the dated price table, or nothing."""

import tomllib
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from urllib.parse import urlsplit

from evolith.core.budget import FREE, Price
from evolith.errors import ConfigError
from evolith.models.config import OPENAI_URL, ModelConfig

IN_PROCESS = ("local", "scripted", "function")
"""Kinds that run in this process and cost nothing."""


@dataclass(frozen=True, slots=True)
class ListPrice:
    """A price as its seller publishes it.

    Args:
        price: What tokens cost.
        as_of: The month or day for which it was found.
        source: Title of the page that it was found on.
    """

    price: Price
    as_of: str
    source: str


@cache
def price_table() -> dict[tuple[str, str], ListPrice]:
    """Return the list prices that ship with Evolith, by the seller's host and the model's name."""
    text = files("evolith.models").joinpath("prices.toml").read_text(encoding="utf-8")
    table = {}
    for seller in tomllib.loads(text, parse_float=Decimal)["seller"]:
        for model, (tokens_in, tokens_out) in seller["models"].items():
            price = Price(Decimal(tokens_in), Decimal(tokens_out))
            table[seller["host"], model] = ListPrice(price, seller["as_of"], seller["source"])
    return table


def price_of(config: ModelConfig) -> Price:
    """Return the price of a model.

    Raises:
        ConfigError: nobody knows it, so that no budget of money could be kept.
    """
    if config.price is not None:
        return Price(config.price.tokens_in, config.price.tokens_out)
    if config.free or config.kind in IN_PROCESS:
        return FREE
    host = urlsplit(config.base_url or OPENAI_URL).hostname or ""
    found = price_table().get((host, config.model))
    if found is not None:
        return found.price
    raise ConfigError(
        f"the price of {config.model} at {host} is not known",
        where="models",
        fix="give price = { tokens_in = ..., tokens_out = ... } in US dollars a million tokens, "
        "or free = true for a model on your own machine, "
        f"or use a model of the price table{_nearest(host, config.model)}",
    )


def _nearest(host: str, model: str) -> str:
    near = get_close_matches(model, [name for seller, name in price_table() if seller == host], n=1)
    return f" such as {near[0]}" if near else ""

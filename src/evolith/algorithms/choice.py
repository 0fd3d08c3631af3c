"""The `[algorithm]` table of the config: every algorithm there is."""

from typing import Annotated

from pydantic import Field

from evolith.algorithms.config import BestOfNConfig, DemosConfig, GepaConfig
from evolith.algorithms.flash.config import FlashConfig

AlgorithmConfig = Annotated[
    GepaConfig | FlashConfig | DemosConfig | BestOfNConfig, Field(discriminator="kind")
]
"""The `[algorithm]` table; `kind` says which."""

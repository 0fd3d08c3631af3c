"""From the `[algorithm]` table to an algorithm."""

from evolith.algorithms.best_of_n import best_of_n
from evolith.algorithms.choice import AlgorithmConfig
from evolith.algorithms.config import DemosConfig, GepaConfig
from evolith.algorithms.definition import Algorithm
from evolith.algorithms.demos import demos
from evolith.algorithms.flash.build import flash
from evolith.algorithms.flash.config import FlashConfig
from evolith.algorithms.gepa import gepa
from evolith.algorithms.parts import Setting


def build_algorithm(config: AlgorithmConfig, setting: Setting) -> Algorithm:
    """Return the algorithm that the config names.

    Raises:
        ConfigError: an operator has nothing to work on.
    """
    if isinstance(config, GepaConfig):
        return gepa(config, setting)
    if isinstance(config, FlashConfig):
        return flash(config, setting)
    if isinstance(config, DemosConfig):
        return demos(config, setting)
    return best_of_n(config, setting)

"""A choice by weight."""

import random
from collections.abc import Mapping


def choose(weights: Mapping[str, float], rng: random.Random) -> str:
    """Return one of the names, each as likely as its weight says."""
    names = sorted(weights)
    return rng.choices(names, [weights[name] for name in names])[0]

"""The greedy choice of a parent."""

import random

from evolith.archive.view import Member, View


def best_parent(view: View, rng: random.Random) -> Member:  # noqa: ARG001 - the shape of a choice
    """Return the member with the best mean on validation, or the newest that is ahead of it."""
    return view.tentative[-1] if view.tentative else view.champion

"""No choice at all: every proposal starts from the seed."""

import random

from evolith.archive.view import Member, View


def seed_parent(view: View, rng: random.Random) -> Member:  # noqa: ARG001 - the shape of a choice
    """Return the seed."""
    return view.members[0]

"""GEPA's choice of a parent: sampled from the per-task frontier by how often it is on top."""

import random

from evolith.archive.view import Member, View
from evolith.core.frontier import frontier


def pareto_parent(view: View, rng: random.Random) -> Member:
    """Return a frontier member, each as likely as the number of tasks that it is best at.

    A tentative candidate takes part with the tasks that are back.
    """
    members = (*view.members, *view.tentative)
    tops = frontier({member.candidate.id: member.val for member in members})
    if not tops:
        return view.members[0]
    return view[rng.choices(list(tops), list(tops.values()))[0]]

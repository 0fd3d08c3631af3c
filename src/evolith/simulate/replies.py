"""What the simulated models say: one answers tasks, one rewrites prompts, one merges prompts."""

import random
import re

from evolith.simulate.draws import draws_for
from evolith.simulate.marks import MARK, key_in, marks_in, note, scope
from evolith.simulate.world import Kind, World

ADDS, FORGETS = 0.40, 0.10
"""Chances that a rewrite adds what is missing, or adds it and drops something else. The rest of the
rewrites change nothing that counts."""
NOTES = 0.12
"""Chance that what is added is a note about one task instead of the rule behind it."""
FORESEES = 0.30
"""Chance that a broad rule comes with the scopes that spare the rules that are there."""
MERGES = 0.80
"""Chance that a merge carries over what the other prompts hold."""
MISSING = re.compile(rf"key=([0-9a-f]{{8}})(?:(?!key=).)*?missing ({MARK}(?: {MARK})*)", re.DOTALL)
BLOCK = re.compile(r"```(.*?)```", re.DOTALL)
PLAIN = 0.5
"""The draw of an answer where nothing is left to chance."""


def reply(world: World, model: str, system: str, user: str, nth: int) -> str:
    """Return what a model answers.

    Args:
        world: Where it lives.
        model: `fake-reflect` rewrites the prompt in the first block of three backticks by the
            feedback after it; `fake-patch` joins the prompts of all blocks; every other one answers
            the task.
        system: The system messages.
        user: All other messages.
        nth: How often it was asked exactly this before.
    """
    if "reflect" in model:
        return _rewritten(world, user, draws_for("reflect", world.seed, user, nth))
    if "patch" in model:
        return _merged(user, draws_for("patch", world.seed, user, nth))
    key = key_in(user)
    if key is None:
        return "wrong"
    noisy = world.kind is Kind.NOISY
    draw = draws_for("answer", world.seed, system, user, nth).random() if noisy else PLAIN
    return world.answer(marks_in(f"{system}\n{user}"), key, draw)


def _rewritten(world: World, prompt: str, draws: random.Random) -> str:
    block = BLOCK.search(prompt)
    have = sorted(marks_in(block[1] if block else prompt))
    cures = _cures(prompt, have)
    chance = draws.random()
    new = list(have)
    if cures and chance < ADDS + FORGETS:
        cure = draws.choice(sorted(cures))
        if world.kind is not Kind.ADDITIVE and draws.random() < NOTES:
            cure = (note(cures[cure]),)
        new += cure
        if chance >= ADDS and have:
            new.remove(draws.choice(have))
        broad = any(world.is_broad(mark) for mark in cure)
        if broad and draws.random() < FORESEES:
            against = world.overriders
            new += [
                scope(one, mark) for mark in have for one in cure if one in against.get(mark, ())
            ]
    return _written(new, draws)


def _cures(prompt: str, have: list[str]) -> dict[tuple[str, ...], str]:
    """Return what the feedback names and the prompt lacks, each with the key of its task."""
    named = MISSING.findall(prompt)
    cures = {tuple(mark for mark in line.split() if mark not in have): key for key, line in named}
    cures.pop((), None)
    return cures


def _merged(prompt: str, draws: random.Random) -> str:
    blocks = BLOCK.findall(prompt)
    taken = blocks if draws.random() < MERGES else blocks[:1]
    return _written(marks_in(" ".join(taken)), draws)


def _written(marks: list[str] | frozenset[str], draws: random.Random) -> str:
    revision = draws.randrange(10**6)  # so that no two prompts are the same text
    return f"```\nFollow every rule (rev {revision:06d}): {' '.join(sorted(set(marks)))}\n```"

"""What each part of the engine adds: the bench's configuration with one thing changed at a time.

On the virtual clock, so that the settings do not compete for this machine.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product

from bench.ours import evolith_virtual
from bench.race import Race
from bench.row import Row
from evolith.simulate.world import Kind

GEPA: Mapping[str, object] = {"algorithm.kind": "gepa", "run.in_flight": 8}
"""Where settings are tried that `flash` has ways of its own for."""

ABLATIONS: Mapping[str, Mapping[str, object]] = {
    "flash": {},
    "flash, in flight 16": {"run.in_flight": 16},
    "flash, in flight 64": {"run.in_flight": 64},
    "flash, no merging": {"algorithm.merge": False},
    "flash, line waits": {"algorithm.ahead": False},
    "flash, no early rejection": {"algorithm.reject": 0.0},
    "flash, no pruning": {"algorithm.prune": False},
    "flash, no guard": {"algorithm.guard": 0},
    "flash, minibatch 1": {"algorithm.minibatch": 1},
    "flash, reordering": {"run.reorder": True},
    "flash, control median": {"run.control": {"policy": "median", "tau": 1.0}},
    "flash, control pi": {"run.control": {"policy": "pi", "tau": 1.0}},
    "gepa, synchronous": {**GEPA, "run.schedule": "sync", "run.in_flight": 1},
    "gepa": GEPA,
    "gepa, in flight 16": {**GEPA, "run.in_flight": 16},
    "gepa, guarded": {**GEPA, "run.staleness": {"policy": "guarded"}},
    "gepa, rebase alone": {**GEPA, "run.staleness": {"policy": "reflective", "similarity": 1.0}},
    "gepa, rebase and repair": {**GEPA, "run.staleness": {"policy": "reflective"}},
    "gepa, speculative rollout": {**GEPA, "run.speculation": {"rollout": 0.5}},
    "gepa, speculative evaluation": {**GEPA, "run.speculation": {"evaluate": 0.5}},
    "gepa, speculation adaptive": {**GEPA, "run.speculation": {"evaluate": "adaptive"}},
    "gepa, reordered speculation": {
        **GEPA,
        "run.speculation": {"evaluate": 0.5},
        "run.reorder": True,
    },
    "gepa, control median": {**GEPA, "run.control": {"policy": "median", "tau": 1.0}},
    "gepa, control pi": {**GEPA, "run.control": {"policy": "pi", "tau": 1.0}},
}
"""By name: what takes the place of the settings in evolith.toml."""


def ablate(
    names: Sequence[str], worlds: Sequence[Kind], seeds: Sequence[int], jobs: int
) -> list[Row]:
    """Return a row for each setting, world and seed.

    Args:
        names: Keys of `ABLATIONS`.
        worlds: Where.
        seeds: Of world and run.
        jobs: Processes at once.
    """
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(_one, product(worlds, names, seeds)))


def _one(what: tuple[Kind, str, int]) -> Row:
    kind, name, seed = what
    row = evolith_virtual(Race(kind, seed), ABLATIONS[name])
    return row.model_copy(update={"system": name})

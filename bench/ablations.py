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

ABLATIONS: Mapping[str, Mapping[str, object]] = {
    "as configured": {},
    "synchronous": {"run.schedule": "sync", "run.in_flight": 1},
    "in flight 4": {"run.in_flight": 4},
    "in flight 16": {"run.in_flight": 16},
    "no merging": {"algorithm.merge.most": 0},
    "staleness guarded": {"run.staleness.policy": "guarded"},
    "staleness reflective": {"run.staleness.policy": "reflective"},
    "speculative rollout": {"run.speculation.rollout": 0.5},
    "speculative evaluation": {"run.speculation.evaluate": 0.5},
    "speculation adaptive": {
        "run.speculation.rollout": "adaptive",
        "run.speculation.evaluate": "adaptive",
    },
    "early rejection": {"run.give_up": 0.0},
    "reordering": {"run.reorder": True},
    "reordering, early rejection": {"run.reorder": True, "run.give_up": 0.0},
    "control median": {"run.control.policy": "median"},
    "control pi": {"run.control.policy": "pi"},
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

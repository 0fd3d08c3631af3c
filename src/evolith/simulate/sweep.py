"""Settings side by side: which to simulate, and what came of each over several seeds."""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import median

from evolith.config import RunConfig
from evolith.errors import UsageError, did_you_mean
from evolith.simulate.run import Scene, Simulated, simulate

TABLES = ("algorithm", "models", "run")
"""The tables of a config that a simulation goes by."""
AS_IT_IS = "as configured"
"""Names the config without any change."""
Overrides = Mapping[str, object]
"""Values by dotted key, in place of those of the config."""


@dataclass(frozen=True, slots=True)
class Row:
    """Medians over the seeds of one setting.

    A run that never reached the target counts as far as it came.

    Args:
        name: The setting.
        reached: Runs whose champion truly reached the target.
        seeds: Runs.
        seconds: Virtual time to the target.
        calls: To the target.
        tokens: To the target.
        proposals: Decided until then.
        accepted: Of these.
        used: Share of the slots' time in which they worked.
        wasted: Share of the tokens that went into proposals that were not accepted.
    """

    name: str
    reached: int
    seeds: int
    seconds: float
    calls: int
    tokens: int
    proposals: int
    accepted: int
    used: float
    wasted: float


def settings_of(sets: Sequence[str]) -> dict[str, Overrides]:
    """Return every combination of the values that are asked for, by a name for a reader.

    Args:
        sets: Each `KEY=V1,V2,...`, with values as TOML writes them; words need no quotes.

    Raises:
        UsageError: one is written otherwise, or its key means nothing to a simulation.
    """
    found: dict[str, Overrides] = {AS_IT_IS: {}}
    if not sets:
        return found
    keys, values = zip(*(_parsed(each) for each in sets), strict=True)
    for combination in product(*values):
        changed = dict(zip(keys, combination, strict=True))
        swept = [key for key, those in zip(keys, values, strict=True) if len(those) > 1] or keys
        name = ", ".join(f"{key.rpartition('.')[2]}={_written(changed[key])}" for key in swept)
        found[name] = changed
    return found


def sweep(
    configs: Mapping[str, RunConfig],
    scene: Scene,
    seeds: int,
    progress: Callable[[], None] = lambda: None,
) -> Iterator[Row]:
    """Simulate each config with as many seeds.

    Args:
        configs: By the name of the setting.
        scene: Where.
        seeds: Runs of each.
        progress: Called after each run.
    """
    for name, config in configs.items():
        runs = []
        for seed in range(seeds):
            runs.append(simulate(config, scene, seed))
            progress()
        yield row_of(name, runs)


def row_of(name: str, runs: Sequence[Simulated]) -> Row:
    """Return the medians of runs of one setting."""
    return Row(
        name=name,
        reached=sum(run.judge.pick is not None for run in runs),
        seeds=len(runs),
        seconds=median(run.end.seconds for run in runs),
        calls=round(median(run.end.calls for run in runs)),
        tokens=round(median(run.end.tokens for run in runs)),
        proposals=round(median(run.proposals for run in runs)),
        accepted=round(median(run.accepted for run in runs)),
        used=median(run.used for run in runs),
        wasted=median(run.wasted for run in runs),
    )


def _parsed(text: str) -> tuple[str, list[object]]:
    key, equals, values = text.partition("=")
    key = key.strip()
    if not equals or not values.strip():
        raise UsageError(
            f"{text!r} sets nothing",
            where="--set",
            fix="write a key with its values, such as run.in_flight=4,16",
        )
    table = key.partition(".")[0]
    if table not in TABLES or "." not in key:
        raise UsageError(
            f"{key} means nothing to a simulation",
            where="--set",
            fix=did_you_mean(table, TABLES),
        )
    whole = _toml(f"[{values}]")
    return key, whole if isinstance(whole, list) else [_value(one) for one in values.split(",")]


def _value(text: str) -> object:
    value = _toml(text)
    return text.strip() if value is None else value


def _toml(text: str) -> object:
    """Return a TOML value, or None where the text is none."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return None


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

"""From a config to the working parts of a run."""

import json
import platform
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from evolith.agents.build import build_agent
from evolith.agents.function import FunctionAgent, FunctionAgentConfig
from evolith.algorithms.build import build_algorithm
from evolith.algorithms.evolution import Evolution
from evolith.algorithms.parts import Setting
from evolith.algorithms.workshop import Workshop
from evolith.archive.archive import Archive
from evolith.config import RunConfig, load_artifact
from evolith.config.content import content, same_content
from evolith.core.artifact import Artifact
from evolith.core.events import SessionStarted
from evolith.core.ids import canonical_json
from evolith.core.messages import Role
from evolith.core.ports import Agent, Scorer
from evolith.core.surface import Surface
from evolith.core.task import TaskSet
from evolith.engine.order import Order
from evolith.engine.rollouts import Runner
from evolith.errors import ArchiveError, ConfigError
from evolith.models.build import build_gates, build_model
from evolith.models.function import FunctionModel
from evolith.models.gateway import Endpoint, Gateway
from evolith.models.ledger import Ledger
from evolith.models.pricing import price_of
from evolith.models.retry import Retrier
from evolith.scorers.build import build_scorer
from evolith.scorers.function import Function, FunctionConfig
from evolith.session.project import found_from, way_to
from evolith.tasks.load import load_tasks

WAY = "base_from_run"
"""Where the settings of a session say how the project lies from the run's folder."""


@dataclass(frozen=True, slots=True)
class Materials:
    """What a config names, read and built; nothing of a run yet.

    Args:
        config: The config.
        tasks: The tasks.
        seed: The artifact to start from.
        agent: How an artifact is run.
        scorer: How a trajectory is judged.
        endpoints: The model of each role; none for a replay.
    """

    config: RunConfig
    tasks: TaskSet
    seed: Artifact
    agent: Agent
    scorer: Scorer
    endpoints: dict[Role, Endpoint]


@dataclass(frozen=True, slots=True)
class Parts:
    """The working parts of one session.

    Args:
        materials: What the config names.
        archive: The run's archive.
        ledger: What may still be spent.
        gateway: Through which all model calls go.
        runner: Runs rollouts.
        evolution: The pipeline.
        number: 1 for the first session of the run.
    """

    materials: Materials
    archive: Archive
    ledger: Ledger
    gateway: Gateway
    runner: Runner
    evolution: Evolution
    number: int

    @property
    def config(self) -> RunConfig:
        """The config of the session."""
        return self.materials.config

    @property
    def tasks(self) -> TaskSet:
        """The tasks of the run."""
        return self.materials.tasks

    async def aclose(self) -> None:
        """Free the models' connections and memory."""
        for model in {id(e.model): e.model for e in self.gateway.endpoints.values()}.values():
            await model.aclose()


@dataclass(frozen=True, slots=True)
class Functions:
    """Functions that a Python program hands over, in place of the names in the config.

    Args:
        agent: The agent.
        scorer: The scorer.
        model: The model of all roles.
    """

    agent: Callable[..., object] | None = None
    scorer: Callable[..., object] | None = None
    model: Callable[..., object] | None = None


def gather(
    config: RunConfig, *, models: bool = True, functions: Functions = Functions()
) -> Materials:
    """Read and build what the config names. Nothing is called and nothing is written.

    Args:
        config: What to read and build.
        models: Whether models are needed; a replay has none.
        functions: What a Python program hands over.

    Raises:
        UsageError: a setting, the seed or a task file is wrong.
    """
    agent: Agent
    if functions.agent is not None and isinstance(config.agent, FunctionAgentConfig):
        agent = FunctionAgent(config.agent, functions.agent)
    else:
        agent = build_agent(config.agent, config.base, config.tasks.fields)
    seed = load_artifact(config.artifact, config.base)
    agent.check(seed)
    tasks = load_tasks(config.tasks, config.base)
    scorer: Scorer
    if functions.scorer is not None and isinstance(config.scorer, FunctionConfig):
        scorer = Function(config.scorer, functions.scorer)
    else:
        scorer = build_scorer(config.scorer, config.base, tasks)
    endpoints = _endpoints(config, functions.model) if models else {}
    return Materials(config, tasks, seed, agent, scorer, endpoints)


def assemble(
    materials: Materials,
    archive: Archive,
    *,
    source: Archive | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Parts:
    """Put the parts of a session together. Nothing is called and nothing is written.

    Args:
        materials: What the config names.
        archive: The run's archive, empty or not.
        source: A recording that answers instead of the models.
        clock: Returns monotonic seconds.

    Raises:
        ConfigError: an operator of the algorithm has nothing to work on.
    """
    config, tasks, agent = materials.config, materials.tasks, materials.agent
    surface = Surface(tuple(config.artifact.surface))
    number = len(archive.state.sessions) + 1
    ledger = Ledger(config.budget.budget(), archive.state.total)
    gateway = Gateway(archive, ledger, materials.endpoints, clock, number, source)
    runner = Runner(
        archive,
        gateway,
        agent,
        materials.scorer,
        config.run.workers,
        clock,
        recorded_only=source is not None,
    )
    setting = Setting(archive, tasks, materials.seed, surface, agent, materials.scorer)
    algorithm = build_algorithm(config.algorithm, setting)
    workshop = Workshop(
        algorithm, archive, runner, gateway, agent, tasks, surface, config.seed, Order(tasks.val)
    )
    evolution = Evolution(workshop, config.run)
    return Parts(materials, archive, ledger, gateway, runner, evolution, number)


def load_settings(archive: Archive, run_dir: Path) -> RunConfig:
    """Return the config of the last session of a run.

    Args:
        archive: The run's archive.
        run_dir: The run's folder, from which its project is looked for.

    Raises:
        ArchiveError: the run never began.
    """
    started = archive.state.sessions[-1][0].event if archive.state.sessions else None
    if not isinstance(started, SessionStarted):
        raise ArchiveError("the run has no session yet", fix="start it with evolith run")
    data = json.loads(started.settings)
    way = data.pop(WAY, None)
    config = RunConfig.model_validate(data)
    base = config.base if way is None else found_from(run_dir, way, config)
    return config.model_copy(update={"base": base})


def dump_settings(config: RunConfig, run_dir: Path) -> str:
    """Return what `load_settings` reads: everything that is in effect.

    Of tasks and models only what was set is written, since these ask whether a key was given.
    """
    data = config.model_dump(mode="json")
    data |= config.model_dump(mode="json", include={"tasks", "models"}, exclude_unset=True)
    return canonical_json({**data, WAY: way_to(config.base, run_dir)})


def basis(config: RunConfig, tasks: TaskSet) -> tuple[str, str]:
    """Return what a run's results depend on: its settings as JSON, and the hash of its tasks."""
    return content(config), tasks.hash


def check_basis(parts: Parts, recording: Archive | None = None) -> None:
    """Refuse to go on with a run on another basis than it was begun with.

    Args:
        parts: The working parts of the session.
        recording: The archive to compare with; the session's own unless given.

    Raises:
        ConfigError: the settings or the task files have changed.
    """
    run = (recording or parts.archive).state.run
    settings, tasks = basis(parts.config, parts.tasks)
    if run is None or (run.tasks == tasks and same_content(run.config, settings)):
        return
    what = "task files" if run.tasks != tasks else "settings"
    raise ConfigError(
        f"the {what} are not those that the run was begun with",
        where=run.name,
        fix="restore them, or start a new run with evolith run",
    )


def fingerprint() -> str:
    """Return the versions that a reader of the run may want to know, as canonical JSON."""
    return canonical_json(
        {
            "aiohttp": version("aiohttp"),
            "evolith": version("evolith"),
            "platform": platform.platform(),
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
        }
    )


def _endpoints(config: RunConfig, function: Callable[..., object] | None) -> dict[Role, Endpoint]:
    """Build each distinct model once, so that roles share its connections and its limits."""
    built: dict[str, Endpoint] = {}
    gates = build_gates(config.models)
    found: dict[Role, Endpoint] = {}
    for role in Role:
        settings = config.models.of(role)
        key = canonical_json(settings.model_dump(mode="json"))
        if key not in built:
            model = (
                build_model(settings, config.base)
                if function is None
                else FunctionModel(function, settings.use)
            )
            retrier = Retrier(settings, gates[settings.provider])
            built[key] = Endpoint(model, price_of(settings), retrier)
        found[role] = built[key]
    return found

"""From a config to the working parts of a run."""

import platform
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

from evolith.agents.build import build_agent
from evolith.agents.function import FunctionAgent, FunctionAgentConfig
from evolith.algorithms.build import build_algorithm
from evolith.algorithms.evolution import Evolution
from evolith.algorithms.parts import Setting
from evolith.archive.archive import Archive
from evolith.config import RunConfig, load_artifact
from evolith.config.content import content
from evolith.core.artifact import Artifact
from evolith.core.events import SessionStarted
from evolith.core.ids import canonical_json
from evolith.core.messages import Role
from evolith.core.ports import Agent, Scorer
from evolith.core.surface import Surface
from evolith.core.task import TaskSet
from evolith.engine.rollouts import Runner
from evolith.errors import ArchiveError, ConfigError
from evolith.models.build import build_model
from evolith.models.function import FunctionModel
from evolith.models.gate import Gate
from evolith.models.gateway import Endpoint, Gateway
from evolith.models.ledger import Ledger
from evolith.models.pricing import price_of
from evolith.models.retry import Retrier
from evolith.scorers.build import build_scorer
from evolith.scorers.function import Function, FunctionConfig
from evolith.tasks.load import load_tasks


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
    runner = Runner(archive, gateway, agent, materials.scorer, config.run.workers, clock)
    setting = Setting(archive, tasks, materials.seed, surface, agent)
    algorithm = build_algorithm(config.algorithm, setting)
    evolution = Evolution(algorithm, archive, runner, gateway, agent, tasks, surface, config.seed)
    return Parts(materials, archive, ledger, gateway, runner, evolution, number)


def load_settings(archive: Archive) -> RunConfig:
    """Return the config of the last session of a run.

    Raises:
        ArchiveError: the run never began.
    """
    started = archive.state.sessions[-1][0].event if archive.state.sessions else None
    if not isinstance(started, SessionStarted):
        raise ArchiveError("the run has no session yet", fix="start it with evolith run")
    return RunConfig.model_validate_json(started.settings)


def dump_settings(config: RunConfig) -> str:
    """Return what `load_settings` reads: what was set, and the limits also where they were not."""
    limits = config.budget.model_dump(mode="json", exclude_none=True)
    settings = config.model_dump(mode="json", exclude_unset=True)
    return canonical_json({**settings, "budget": limits})


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
    if run is None or (run.tasks == tasks and run.config == settings):
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
            "evolith": version("evolith"),
            "openai": version("openai"),
            "platform": platform.platform(),
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
        }
    )


def _endpoints(config: RunConfig, function: Callable[..., object] | None) -> dict[Role, Endpoint]:
    """Build each distinct model once, so that roles share its connections and its limits."""
    built: dict[str, Endpoint] = {}
    gates: dict[str, Gate] = {}
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
            gate = gates.setdefault(settings.provider, Gate())
            built[key] = Endpoint(model, price_of(settings), Retrier(settings, gate))
        found[role] = built[key]
    return found

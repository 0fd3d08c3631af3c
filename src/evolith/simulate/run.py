"""One simulated run: the settings of a config, on a toy world instead of its tasks and models."""

from dataclasses import dataclass
from pathlib import Path

import anyio

from evolith.agents.build import build_agent
from evolith.agents.prompt import PROMPT, PromptAgentConfig
from evolith.archive.archive import Archive
from evolith.config import ArtifactConfig, BudgetConfig, RunConfig
from evolith.core.artifact import Artifact
from evolith.core.budget import FREE
from evolith.core.ids import rng_for
from evolith.core.messages import Role
from evolith.engine.stop import Stop
from evolith.models.build import build_gates
from evolith.models.gateway import Endpoint
from evolith.models.retry import Retrier
from evolith.report.codes import proposals_of
from evolith.report.costs import read_calls, run_cost
from evolith.scorers.function import Function, FunctionConfig
from evolith.session.open import work_on
from evolith.session.setup import Materials, assemble
from evolith.simulate.clock import run_virtual
from evolith.simulate.draws import Latency
from evolith.simulate.judge import Follower, Judge, Moment
from evolith.simulate.model import SimulatedModel
from evolith.simulate.scorer import grade
from evolith.simulate.service import Service
from evolith.simulate.world import SEED_PROMPT, TRAIN, VAL, Kind, World
from evolith.testing.memory import MemoryStore

MODELS = {Role.REFLECT: "fake-reflect", Role.REPAIR: "fake-patch"}
"""Who plays which role; `fake-task` plays the others."""
NOWHERE = Path("simulated")
"""Stands for the folder of a run that is in memory alone."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a simulation takes place in.

    Args:
        kind: The world.
        latency: How long a call takes.
        slots: Calls that the models' service works on at once.
        requests_per_minute: Calls that it takes in a minute; None for as many as come.
        target: The true score to reach.
        seconds: Virtual time after which a run is ended.
        train: Tasks of the train split.
        val: Tasks of the val split.
    """

    kind: Kind
    latency: Latency
    slots: int = 32
    requests_per_minute: int | None = None
    target: float = 0.6
    seconds: float = 1800.0
    train: int = TRAIN
    val: int = VAL


@dataclass(frozen=True, slots=True)
class Simulated:
    """What came of a simulated run.

    Args:
        judge: What the judge has seen.
        end: Where the run ended: at the target, or when its time was over.
        proposals: Decided in that time.
        accepted: Of these.
        used: Share of the slots' time in which they worked.
        wasted: Share of the tokens that went into nothing that is in use.
        store: All events of the run.
    """

    judge: Judge
    end: Moment
    proposals: int
    accepted: int
    used: float
    wasted: float
    store: MemoryStore


def simulate(config: RunConfig, scene: Scene, seed: int) -> Simulated:
    """Run the settings of a config on a virtual clock until the champion truly is at the target.

    What counts of the config is `[run]`, `[algorithm]` and by which rules its models are called:
    tries, concurrency, stated limits. The world has no use for demonstrations, so every proposal is
    a reflection.

    Args:
        config: The settings.
        scene: Where.
        seed: Of the world and of the run.
    """
    return run_virtual(_simulate, config, scene, seed)


async def _simulate(config: RunConfig, scene: Scene, seed: int) -> Simulated:
    world = World(scene.kind, seed, scene.train, scene.val)
    service = Service(world, scene.latency, scene.slots, scene.requests_per_minute)
    store = MemoryStore()
    archive = Archive(store, anyio.current_time)
    parts = assemble(
        _materials(_in_world(config, scene, seed), service), archive, clock=anyio.current_time
    )
    judge, stop = Judge(world, scene.target), Stop()
    await work_on(parts, NOWHERE, Follower(judge, anyio.current_time, stop.abort), stop)
    state = archive.state
    seconds, total = anyio.current_time(), state.total
    cost = run_cost(state, read_calls(archive))
    return Simulated(
        judge=judge,
        end=Moment(seconds, total.calls, total.tokens),
        proposals=proposals_of(state),
        accepted=state.version,
        used=sum(call.latency for call in service.served) / (scene.slots * seconds),
        wasted=cost.wasted.tokens / max(1, total.tokens),
        store=store,
    )


def _in_world(config: RunConfig, scene: Scene, seed: int) -> RunConfig:
    """Return the config with a world's prompt and without limits but that of time."""
    lifted: dict[str, object] = {"proposals": None}
    if "operators" in type(config.algorithm).model_fields:
        lifted["operators"] = {"reflect": 1.0}
    return config.model_copy(
        update={
            "seed": seed,
            "artifact": ArtifactConfig(files={PROMPT: SEED_PROMPT}),
            "agent": PromptAgentConfig(),
            "algorithm": config.algorithm.model_copy(update=lifted),
            "budget": BudgetConfig(seconds=scene.seconds),
        }
    )


def _materials(config: RunConfig, service: Service) -> Materials:
    return Materials(
        config=config,
        tasks=service.world.tasks,
        seed=Artifact.of({PROMPT: SEED_PROMPT}),
        agent=build_agent(config.agent, config.base, ()),
        scorer=Function(FunctionConfig(function="evolith.simulate.scorer:grade"), grade),
        endpoints=_endpoints(config, service),
    )


def _endpoints(config: RunConfig, service: Service) -> dict[Role, Endpoint]:
    """Return simulated models that are called by the rules of those that they stand for."""
    gates = build_gates(config.models)
    found: dict[Role, Endpoint] = {}
    for role in Role:
        settings = config.models.of(role)
        rng = rng_for(config.seed, "pauses", role)
        retrier = Retrier(settings, gates[settings.provider], rng)
        found[role] = Endpoint(
            SimulatedModel(service, MODELS.get(role, "fake-task")), FREE, retrier
        )
    return found

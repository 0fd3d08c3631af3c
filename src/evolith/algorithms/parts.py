"""The mutation operators that several algorithms share, made from their settings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evolith.algorithms.config import BestOfNConfig, DemosConfig, GepaConfig
from evolith.algorithms.definition import Mutation
from evolith.archive.archive import Archive
from evolith.archive.state import RolloutRow
from evolith.core.artifact import Artifact
from evolith.core.ports import Agent, Scorer
from evolith.core.surface import Surface
from evolith.core.task import Split, Task, TaskSet
from evolith.errors import ConfigError
from evolith.operators.mutate.demonstrate import Demonstrate, answer_text
from evolith.operators.mutate.reflect import Reflect
from evolith.operators.proposal import Proposal
from evolith.operators.protocols import Validate

Config = GepaConfig | DemosConfig | BestOfNConfig


@dataclass(frozen=True, slots=True)
class Setting:
    """What an algorithm is set up in.

    Args:
        archive: The run's archive.
        tasks: The run's tasks.
        seed: The artifact to start from.
        surface: What may be edited.
        agent: How an artifact is run.
        scorer: How a trajectory is judged.
    """

    archive: Archive
    tasks: TaskSet
    seed: Artifact
    surface: Surface
    agent: Agent
    scorer: Scorer


def mutations(config: Config, setting: Setting, validate: Validate | None) -> dict[str, Mutation]:
    """Return the mutations that `config.operators` names.

    Raises:
        ConfigError: an operator has nothing that it could edit or show.
        ArtifactError: the agent has no use for the demonstrations.
    """
    found: dict[str, Mutation] = {}
    if "reflect" in config.operators:
        if not editable_texts(config, setting.surface)(setting.seed):
            raise ConfigError(
                "the operator reflect finds no text to edit in the seed",
                where="artifact.surface",
                fix="add a file such as prompt.md to the seed and to the surface",
            )
        reflect = Reflect(config.reflect.max_tokens, config.reflect.temperature)
        found["reflect"] = Mutation(reflect, evidence=True, validate=validate)
    if "demos" in config.operators:
        settings = config.demos
        if not setting.surface.allows(settings.path):
            raise ConfigError(
                f"the operator demos may not edit {settings.path}",
                where="artifact.surface",
                fix=f'add "{settings.path}" to the surface',
            )
        setting.agent.check(setting.seed.replace(settings.path, ""))
        if config.minibatch >= len(setting.tasks.train):
            raise ConfigError(
                f"a minibatch of {config.minibatch} leaves none of the "
                f"{len(setting.tasks.train)} train tasks to show",
                where="algorithm.minibatch",
                fix="make it smaller, or give more train rows",
            )
        passed = settings.source == "passed"
        demos = Demonstrate(settings.path, settings.most, _solved(setting, passed=passed))
        found["demos"] = Mutation(demos, evidence=passed, validate=validate)
    return found


def editable_texts(config: Config, surface: Surface) -> Callable[[Artifact], tuple[str, ...]]:
    """Return what names the components that reflection may rewrite."""

    def paths(artifact: Artifact) -> tuple[str, ...]:
        return tuple(
            path for path in artifact if surface.allows(path) and path != config.demos.path
        )

    return paths


def _solved(setting: Setting, *, passed: bool) -> Callable[[Proposal], Sequence[tuple[Task, str]]]:
    if passed:
        return lambda proposal: _passed(setting, proposal)
    known = [
        (task, text)
        for task in setting.tasks.train
        if (text := answer_text(task, setting.scorer)) is not None
    ]
    if not known:
        raise ConfigError(
            "the train tasks have no answers that could be shown",
            where="algorithm.demos.source",
            fix='name the answer field in [tasks], or set source = "passed"',
        )
    return lambda _: known


def _passed(setting: Setting, proposal: Proposal) -> Sequence[tuple[Task, str]]:
    """Return what passed on minibatches that were decided when the proposal was selected."""
    archive, state = setting.archive, setting.archive.state
    tasks = {task.id: task for task in setting.tasks.train}
    found: dict[str, str] = {}
    for decided in list(state.decided.values())[: proposal.selected.commits]:
        selected = state.selected.get(decided.item)
        for candidate in (*selected.parents, decided.candidate) if selected else ():
            rows = state.rollouts.get((candidate or "", Split.TRAIN), {})
            for task in (name for name in selected.tasks if name in tasks) if selected else ():
                row = rows.get((task, 0))
                if row is not None and row.passed and task not in found:
                    found[task] = _output(archive, row)
    return [(tasks[task], output) for task, output in sorted(found.items()) if output]


def _output(archive: Archive, row: RolloutRow) -> str:
    event = archive.rollout(row.candidate, row.task, row.attempt)
    trajectory = None if event is None else archive.trajectory(event)
    return "" if trajectory is None else trajectory.output

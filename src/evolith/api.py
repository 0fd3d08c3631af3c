"""The Python API: evolve an artifact from a program of one's own."""

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import anyio
from pydantic import Field

from evolith.agents.config import AgentConfig
from evolith.agents.function import FunctionAgentConfig
from evolith.algorithms.choice import AlgorithmConfig
from evolith.archive.connect import FILE
from evolith.archive.reading import reading
from evolith.config import RunConfig
from evolith.core.artifact import Artifact
from evolith.core.budget import Budget
from evolith.core.candidate import Candidate
from evolith.core.settings import Settings
from evolith.errors import ConfigError
from evolith.models.config import ModelConfig, ModelsConfig
from evolith.report.build import build_report
from evolith.report.data import Report
from evolith.scorers.config import ScorerConfig
from evolith.scorers.function import FunctionConfig
from evolith.session.open import begin, carry_on
from evolith.session.outcome import Outcome
from evolith.session.setup import Functions, Materials, gather
from evolith.tasks.config import TasksConfig

Row = Mapping[str, object]
"""A task as a map: `input`, and what else the scorer or the agent needs, such as `answer`."""


class Options(Settings):
    """What an evolution from Python may set beside its main parts."""

    name: str = "run"
    """Names the run."""
    seed: int = Field(default=0, ge=0)
    """All randomness of the run derives from this number."""
    run_dir: Path | None = None
    """The run's folder; a run that is there already is resumed. A new folder below `runs` unless
    given."""
    schedule: Literal["sync", "async"] = "sync"
    """`sync`: one proposal after another. `async`: several at once."""
    in_flight: int | None = Field(default=None, ge=1)
    """Proposals at once, for `async`."""
    workers: int = Field(default=8, ge=1)
    """Rollouts at once."""
    test_attempts: int = Field(default=1, ge=1)
    """Rollouts of each test task."""
    surface: tuple[str, ...] = ("*",)
    """Globs of the files that may be edited."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run that was worked on.

    Args:
        outcome: How the work ended.
    """

    outcome: Outcome

    @property
    def run_dir(self) -> Path:
        """The run's folder, for the command line: `evolith report DIR`."""
        return self.outcome.run_dir

    @property
    def champion(self) -> Artifact:
        """The best artifact: a map of path to text.

        Raises:
            ConfigError: the budget did not hold the evaluation of the seed.
        """
        with reading(self.run_dir) as archive:
            identity = archive.state.champion
            if identity is None:
                raise ConfigError(
                    "there is no champion yet, since the seed was not evaluated",
                    where=str(self.run_dir),
                    fix="resume the run with a larger budget",
                )
            return archive.candidate(identity).artifact

    @property
    def lineage(self) -> tuple[Candidate, ...]:
        """All candidates in the order of their making, the seed first."""
        with reading(self.run_dir) as archive:
            return tuple(archive.candidate(identity) for identity in archive.state.candidates)

    @property
    def table(self) -> list[dict[str, str | float | None]]:
        """One row a proposal, for a data frame: `pandas.DataFrame(run.table)`."""
        with reading(self.run_dir) as archive:
            return [
                {
                    "item": decided.item,
                    "candidate": decided.candidate,
                    "outcome": decided.verdict.outcome,
                    "code": decided.verdict.code,
                    "reason": decided.verdict.reason,
                    "minibatch_before": decided.before,
                    "minibatch_after": decided.after,
                    "val": decided.val,
                }
                for decided in archive.state.decided.values()
            ]

    @property
    def report(self) -> Report:
        """What was gained, lost and spent."""
        with reading(self.run_dir) as archive:
            return build_report(archive, str(self.run_dir))


def evolve(
    seed: Mapping[str, str] | str,
    tasks: Sequence[Row] | Path | TasksConfig,
    scorer: ScorerConfig | Callable[..., object] | None,
    model: str | ModelConfig | ModelsConfig | Callable[..., object],
    *,
    agent: AgentConfig | Callable[..., object] | None = None,
    algorithm: AlgorithmConfig | None = None,
    budget: Budget | None = None,
    options: Options | None = None,
) -> Run:
    """Evolve an artifact; the blocking form of `aevolve`, with the same arguments.

    Raises:
        UsageError: an argument or a task is wrong; nothing was started.
        ArchiveError: the run's folder cannot be used.
        ProviderError: a provider refuses the run; call again with the same `run_dir` to resume.
        UserCodeFailed: the agent or the scorer fails on everything; mend it and call again.
    """
    return anyio.run(
        partial(
            aevolve,
            seed,
            tasks,
            scorer,
            model,
            agent=agent,
            algorithm=algorithm,
            budget=budget,
            options=options,
        )
    )


async def aevolve(
    seed: Mapping[str, str] | str,
    tasks: Sequence[Row] | Path | TasksConfig,
    scorer: ScorerConfig | Callable[..., object] | None,
    model: str | ModelConfig | ModelsConfig | Callable[..., object],
    *,
    agent: AgentConfig | Callable[..., object] | None = None,
    algorithm: AlgorithmConfig | None = None,
    budget: Budget | None = None,
    options: Options | None = None,
) -> Run:
    """Evolve an artifact, or go on with the run in `options.run_dir`.

    Args:
        seed: The artifact to start from: a map of path to text, or the text of `prompt.md`.
        tasks: Rows that hold at least `input`, a JSONL or CSV file, or the whole table `[tasks]`.
            Rows are split at random into halves and quarters unless the table says otherwise.
        scorer: How an output is judged: a settings object, or a function of task and trajectory.
            None compares exactly with `answer`.
        model: A name such as `openai:gpt-4o-mini`, settings for one or all roles, or a function
            that gets a `Request` and returns text.
        agent: How the artifact is run: settings, or a function of components, task and chat.
            None renders it as one prompt.
        algorithm: Which operators; `gepa` unless given.
        budget: What the run may spend; 1000 rollouts unless given.
        options: Everything else.

    Raises:
        UsageError: an argument or a task is wrong; nothing was started.
        ArchiveError: the run's folder cannot be used.
        ProviderError: a provider refuses the run; call again with the same `run_dir` to resume.
        UserCodeFailed: the agent or the scorer fails on everything; mend it and call again.
    """
    own = options or Options()
    run_dir = (own.run_dir or _new_folder(own.name)).absolute()
    table = {
        "name": own.name,
        "seed": own.seed,
        "base": Path.cwd(),
        "artifact": {
            "files": {"prompt.md": seed} if isinstance(seed, str) else dict(seed),
            "surface": own.surface,
        },
        "agent": _named(agent, FunctionAgentConfig),
        "scorer": _named(scorer, FunctionConfig),
        "models": _models(model),
        "algorithm": algorithm,
        "run": own.model_dump(include={"schedule", "in_flight", "workers"}, exclude_none=True),
        "budget": None if budget is None else asdict(budget),
        "test": {"attempts": own.test_attempts},
    }
    resuming = (run_dir / FILE).exists()
    run_dir.mkdir(parents=True, exist_ok=True)
    table["tasks"] = _tasks(tasks, run_dir)
    config = RunConfig.model_validate({k: v for k, v in table.items() if v is not None})
    materials = _materials(config, agent, scorer, model)
    work = carry_on(lambda _: materials, run_dir) if resuming else begin(materials, run_dir)
    return Run(await work)


def _materials(
    config: RunConfig,
    agent: AgentConfig | Callable[..., object] | None,
    scorer: ScorerConfig | Callable[..., object] | None,
    model: str | ModelConfig | ModelsConfig | Callable[..., object],
) -> Materials:
    """Build what the config names, with functions in place of the names that stand for them."""
    functions = Functions(
        agent=agent if callable(agent) else None,
        scorer=scorer if callable(scorer) else None,
        model=model if callable(model) else None,
    )
    return gather(config, functions=functions)


def _named(part: Settings | Callable[..., object] | None, kind: type[Settings]) -> Settings | None:
    """Return settings; for a function, those that name it."""
    if part is None or isinstance(part, Settings):
        return part
    return kind.model_validate({"function": _name(part)})


def _name(function: Callable[..., object]) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return f"{function.__module__}:{name if name.isidentifier() else 'function'}"


def _models(model: str | ModelConfig | ModelsConfig | Callable[..., object]) -> ModelsConfig:
    if isinstance(model, ModelsConfig):
        return model
    if isinstance(model, str | ModelConfig):
        return ModelsConfig(task=model)
    return ModelsConfig(task=f"function:{_name(model)}")


def _tasks(tasks: Sequence[Row] | Path | TasksConfig, run_dir: Path) -> TasksConfig:
    """Return the table `[tasks]`; rows are written down, so that the run can be resumed."""
    if isinstance(tasks, TasksConfig):
        return tasks
    if isinstance(tasks, Path):
        return TasksConfig(file=str(tasks))
    file = run_dir / "tasks.jsonl"
    file.write_text("".join(f"{json.dumps(dict(row), ensure_ascii=False)}\n" for row in tasks))
    here = Path.cwd()  # inside of it, the run can be moved along with it
    return TasksConfig(file=str(file.relative_to(here) if file.is_relative_to(here) else file))


def _new_folder(name: str) -> Path:
    folders = (Path("runs") / f"{name}-{number}" for number in itertools.count(1))
    return next(folder for folder in folders if not folder.exists())

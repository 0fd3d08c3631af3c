"""A toy project on the virtual clock: run, stopped dead at any moment, resumed and replayed."""

import random
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import anyio

from evolith.agents.build import build_agent
from evolith.agents.prompt import PROMPT, PromptAgentConfig
from evolith.archive.archive import Archive, Watch
from evolith.archive.consistency import Consistency, blobs_of
from evolith.archive.problem import Problem
from evolith.archive.state import State
from evolith.archive.store import archive_hash
from evolith.config import RunConfig
from evolith.core.artifact import Artifact
from evolith.core.events import Called, RunCreated
from evolith.core.ids import rng_for
from evolith.core.messages import Request, Role
from evolith.core.rollout import Trajectory
from evolith.core.score import Score
from evolith.core.task import Task, TaskSet
from evolith.engine.stop import Stop
from evolith.errors import MalformedResponse
from evolith.models.build import build_gates
from evolith.models.function import FunctionModel
from evolith.models.gateway import Endpoint
from evolith.models.pricing import price_of
from evolith.models.retry import Retrier
from evolith.scorers.function import Function, FunctionConfig
from evolith.session.open import work_on
from evolith.session.outcome import Outcome
from evolith.session.repeat import Repeat
from evolith.session.setup import Materials, Parts, assemble
from evolith.simulate.clock import run_virtual
from evolith.simulate.draws import Latency
from evolith.testing.memory import MemoryStore

SORTS = tuple(f"s{number}" for number in range(6))
EASY = "s9"
"""A sort that needs no rule."""
SLOW = ("s9 112", "s9 113", "s9 114")
"""The validation tasks of that sort."""
SEED_PROMPT = "Say yes where a rule allows it.\n\n" + "".join(f"# {s}\n\n" for s in SORTS)
BLOCK = re.compile(r"^```\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PRICE = {"tokens_in": 2, "tokens_out": 9}


@dataclass
class Toy:
    """A project whose model needs one rule in the prompt for each sort of task.

    Args:
        settings: Values by dotted key of the config.
        seed: Of everything that is random: latencies, what the models say, and the run's own.
        noise: Chance that an answer is the opposite of what it should be.
        flaky: Chance that the reply to one call is broken, at each of its tries.
        straggling: How much longer than others the easy validation tasks take.
    """

    settings: Mapping[str, object]
    seed: int = 0
    noise: float = 0.0
    flaky: float = 0.0
    straggling: float = 1.0
    store: MemoryStore = field(default_factory=MemoryStore)
    asked: Counter[str] = field(default_factory=Counter)
    """Tries by role."""
    answered: int = 0
    _nth: Counter[str] = field(default_factory=Counter)
    _states: dict[int, State] = field(default_factory=dict)
    """By the number of events."""

    @property
    def tasks(self) -> TaskSet:
        """The tasks."""
        return TaskSet(_tasks("train", 0), _tasks("val", 100))

    def run(self, kill_at: float | None = None, watch: Watch | None = None) -> Outcome | None:
        """Work on the run in one session, to its end or until it is stopped dead.

        Args:
            kill_at: Virtual seconds after which nothing more happens, not even an orderly end.
            watch: Called after each recorded event.
        """
        return run_virtual(self._session, kill_at, watch)

    async def _session(self, kill_at: float | None, watch: Watch | None) -> Outcome | None:
        parts = assemble(self._materials(), self.archive(), clock=anyio.current_time)
        with anyio.move_on_after(kill_at):
            return await work_on(parts, Path("toy"), watch, Stop())
        return None

    def archive(self) -> Archive:
        """Return the archive as a new process would see it."""
        return Archive(self.store, anyio.current_time)

    @property
    def state(self) -> State:
        """What the events add up to."""
        count = len(list(self.store.keys()))
        if count not in self._states:
            self._states = {count: Archive(self.store, lambda: 0.0).state}
        return self._states[count]

    def last(self) -> tuple[str, ...]:
        """Return the validation tasks that a new process would run last."""

        async def order() -> tuple[str, ...]:
            parts = assemble(self._materials(), self.archive(), clock=anyio.current_time)
            return parts.evolution.workshop.order.easy()

        return run_virtual(order)

    def replayed(self) -> tuple[int, str]:
        """Replay the run; return the calls that this made, and the archive hash."""
        parts = run_virtual(self._replay)
        return parts.gateway.asked, parts.archive.store.hash()

    async def _replay(self) -> Parts:
        materials = self._materials(models=False)
        archive = Archive(MemoryStore(), anyio.current_time)
        parts = assemble(materials, archive, source=self.archive(), clock=anyio.current_time)
        await Repeat(parts, self.archive()).run()
        return parts

    def problems(self) -> list[Problem]:
        """Return what does not fit together, as `evolith verify` would."""
        check = Consistency()
        for entry in self.store.entries():
            check.add(entry.event)
            for digest in blobs_of(entry.event):
                self.store.blob(digest)
        return list(check.problems())

    def calls(self) -> list[Called]:
        """Return the recorded calls."""
        return [e.event for e in self.store.entries() if isinstance(e.event, Called)]

    def hash_of_the_work(self) -> str:
        """Return the archive hash without the event that states the settings."""
        events = (entry.event for entry in self.store.entries())
        return archive_hash(event for event in events if not isinstance(event, RunCreated))

    def config(self) -> RunConfig:
        """Return the config."""
        tree: dict[str, object] = {
            "base": Path("toy"),
            "seed": self.seed,
            "tasks": {"file": "tasks.jsonl"},
            "models": {"task": {"use": "function:toy:ask", "price": PRICE}},
            "artifact": {"files": {PROMPT: SEED_PROMPT}},
            "budget": {"rollouts": 10**6},
        }
        for key, value in self.settings.items():
            *path, last = key.split(".")
            table = tree
            for name in path:
                inner = table.setdefault(name, {})
                assert isinstance(inner, dict)
                table = inner
            table[last] = value
        return RunConfig.model_validate(tree)

    def _materials(self, *, models: bool = True) -> Materials:
        config = self.config()
        if not models:  # as in a replay: no limit is left
            unlimited = config.budget.model_copy(update={"rollouts": None, "tokens": None})
            config = config.model_copy(update={"budget": unlimited})
        gates = build_gates(config.models)
        endpoints: dict[Role, Endpoint] = {}
        for role in Role if models else ():
            settings = config.models.of(role)
            retrier = Retrier(settings, gates[settings.provider], rng_for(self.seed, role))
            model = FunctionModel(partial(self._ask, role), settings.use)
            endpoints[role] = Endpoint(model, price_of(settings), retrier)
        return Materials(
            config,
            self.tasks,
            Artifact.of({PROMPT: SEED_PROMPT}),
            build_agent(PromptAgentConfig(), config.base, ()),
            Function(FunctionConfig(function="toy:grade"), grade),
            endpoints,
        )

    async def _ask(self, role: Role, request: Request) -> str:
        text = "\n".join(message.content for message in request.messages)
        self.asked[role] += 1
        self._nth[text] += 1
        nth = self._nth[text]
        mean = self.straggling if request.messages[-1].content in SLOW else 1.0
        await anyio.sleep(Latency(mean, 0.8).of(self.seed, role, text, nth))
        self.answered += 1
        draws = rng_for(self.seed, role, text, nth)
        if draws.random() < self.flaky:
            raise MalformedResponse("half an answer")
        if role is Role.REFLECT:
            return _rewritten(text, draws.random(), rng_for(self.seed, "rewrite", text, nth))
        if role is Role.REPAIR:
            return _mended(text, draws.random())
        prompt, sort = text, request.messages[-1].content.split()[0]
        right = (sort == EASY or f"{sort}: yes" in prompt) and f"{sort}: no" not in prompt
        return "yes" if right != (draws.random() < self.noise) else "no"


async def grade(task: Task, trajectory: Trajectory) -> Score:
    """Return 1 for a yes."""
    right = trajectory.output == "yes"
    sort = task.input.split()[0]
    return Score(float(right), passed=right, feedback="" if right else f"{sort} wants a yes")


def _tasks(split: str, first: int) -> tuple[Task, ...]:
    return tuple(
        Task(f"{split}-{number}", f"{sort} {first + number}", answer="yes")
        for number, sort in enumerate([*SORTS, *SORTS, EASY, EASY, EASY])
    )


def _rewritten(asked: str, chance: float, draws: random.Random) -> str:
    """Add a rule that is missing, sometimes with one that does harm or a note; or fail."""
    if chance < 0.05:
        return "I cannot think of anything."
    if chance < 0.1:
        raise ValueError("the model function is broken")
    block = BLOCK.search(asked)
    assert block is not None
    text = block[1]
    missing = [
        s for s in re.findall(r"^(s\d) \d+$", asked, re.MULTILINE) if f"{s}: yes" not in text
    ]
    if missing:
        text = _with(text, f"{draws.choice(missing)}: yes")
    if chance < 0.45:
        text = _with(text, f"{draws.choice(SORTS)}: no")
    elif chance < 0.6:
        text = _with(text, f"Note {draws.randrange(10**6)}.")
    return f"```\n{text}```"


def _mended(asked: str, chance: float) -> str:
    """Work changes in, discard some or all of them, or give no usable answer."""
    current, *changes = (block[1] for block in BLOCK.finditer(asked))
    lines: list[str] = []
    for number, change in enumerate(changes, start=1):
        patched = chance < 0.6 or (chance < 0.8 and number > 1)
        if chance < 0.9:
            lines.append(f"Change {number}: {'patched' if patched else 'discarded'} - because")
        for line in change.splitlines() if patched or chance >= 0.9 else ():
            if line not in current:
                current = _with(current, line)
    return "\n".join([*lines, "```", f"{current}```" if chance < 0.95 else "no end"])


def _with(text: str, line: str) -> str:
    """Put a line under the heading of its sort, or at the end."""
    heading = f"# {line[:2]}\n"
    return text.replace(heading, f"{heading}{line}\n") if heading in text else f"{text}{line}\n"

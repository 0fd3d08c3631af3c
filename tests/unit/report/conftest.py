"""Runs to report on, told event by event."""

import io
import random
from collections.abc import Callable
from decimal import Decimal

import pytest
from rich.console import Console

from evolith.core.events import CallLost, RolloutEnded, TestOpened
from evolith.core.messages import Role
from evolith.core.task import Split
from evolith.errors import Boundary
from evolith.report.build import build_report
from evolith.report.data import Report
from evolith.testing.story import Outcome, Story

PROMPT = """Classify the news article.
Answer with exactly one of: World, Sports, Business, Sci/Tech.
"""
BETTER = """Read the news article and name its topic.
Answer with exactly one of: World, Sports, Business, Sci/Tech.
A company's results are Business, also when the company makes software.
Write the topic alone, without a full stop.
"""
DEMOS = """{"input":"Oil prices fell for a third day as supplies rose.","output":"Business"}
{"input":"The striker scored twice in the cup final.","output":"Sports"}
{"input":"A probe sent its first pictures from Saturn's rings.","output":"Sci/Tech"}
"""
SETTINGS = {
    "seed": 7,
    "algorithm": {"kind": "gepa"},
    "run": {"schedule": "async", "in_flight": 4},
    "budget": {"rollouts": 2000, "money": "0.5"},
    "scorer": {"kind": "choice", "reveal_answer": True},
}
COUNTS = {Split.TRAIN: 400, Split.VAL: 100, Split.TEST: 200}
MINIBATCH = ("train-017", "train-203", "train-344")


class NewsRun:
    """Tells a run on news articles: from 8% to 46% in 12 proposals."""

    def __init__(self) -> None:
        self.story = Story("news", COUNTS, SETTINGS)
        self.rng = random.Random(11)
        self.ease = {f"val-{n:03}": self.rng.random() for n in range(100)}
        self.ease |= {f"test-{n:03}": self.rng.random() for n in range(200)}

    def tell(self) -> Story:
        story = self.story
        story.session()
        story.candidate("seed", {"prompt.md": PROMPT})
        self.evaluate("seed", Split.VAL, 0.08)
        story.decided("seed", "seed", "accepted", "seed", scores=(None, None, 0.08))
        with_demos = {"prompt.md": PROMPT, "demos.jsonl": DEMOS}
        both = {"prompt.md": BETTER, "demos.jsonl": DEMOS}
        self.propose(1, "c4f19a02", "seed", "demos", with_demos, 0.27)
        self.reject(2, "c80d1e55", "seed", "minibatch_not_better", (0.33, 0.33))
        self.fail(3, "seed", "no_fence", "the answer holds no text between fences")
        self.propose(4, "c1b7733e", "c4f19a02", "reflect", both, 0.34)
        self.skip(5, "c4f19a02")
        self.propose(6, "c09ad417", "seed", "reflect", {"prompt.md": BETTER}, 0.16)
        self.reject(7, "cd20ff18", "c1b7733e", "val_not_better", (0.33, 0.67), 0.29)
        self.propose(8, "c6e2b8a1", "c1b7733e", "merge", both | {"format.md": "One word."}, 0.41)
        self.reject(9, "c77ab3c9", "c6e2b8a1", "minibatch_not_better", (0.67, 0.33))
        story.tell(self.lost())
        story.session(2)
        final = both | {"format.md": "One word, capitalised as in the list.\n"}
        self.propose(10, "ce85d6f0", "c6e2b8a1", "reflect", final, 0.47)
        self.reject(11, "c2c90b6d", "ce85d6f0", "val_not_better", (0.33, 0.67), 0.44)
        self.fail(12, "ce85d6f0", "truncated", "the reflection model's answer was cut at its limit")
        for candidate, level in (("seed", 0.08), ("ce85d6f0", 0.46)):
            story.tell(TestOpened(candidate=candidate, use=1))
            self.evaluate(candidate, Split.TEST, level)
        story.ended(number=2)
        return story

    def evaluate(self, candidate: str, split: Split, level: float) -> None:
        """Run a candidate that solves about that share of the split's tasks."""
        names = sorted(task for task in self.ease if task.startswith(split.value))
        for name in names:
            self.ease[name] = 0.55 * self.ease[name] + 0.45 * self.rng.random()
        best = set(sorted(names, key=lambda name: self.ease[name])[: round(level * len(names))])
        for name in names:
            self.run(candidate, split, name, float(name in best))

    def run(self, candidate: str, split: Split, task: str, value: float) -> None:
        tokens = (78 if candidate == "seed" else 420 + self.rng.randrange(60), 3)
        failed = candidate == "ce85d6f0" and task in {"test-111", "test-162"}
        price = str(Decimal(tokens[0]) * 15 / 10**8)
        self.story.called(
            f"rollout/{candidate}/{task}/0/task/0", Role.TASK, tokens, price, seconds=0.4
        )
        self.story.tell(
            RolloutEnded(
                candidate=candidate,
                task=task,
                split=split,
                attempt=0,
                output=None,
                value=None if failed else value,
                passed=None if failed else value == 1.0,
                feedback="" if value else f"{task}: the expected topic was Business.",
                boundary=Boundary.PROVIDER if failed else None,
                message="the server answered 503" if failed else "",
                tokens_in=tokens[0],
                tokens_out=tokens[1],
                money=Decimal(price),
                calls=1,
            ),
            seconds=0.4 + tokens[0] / 4000,
            after=0.2,
        )

    def begin(self, number: int, parent: str, operator: str) -> str:
        item = f"p{number:04}"
        others = ("c09ad417",) if operator == "merge" else ()
        self.story.selected(item, parent, MINIBATCH, operator, *others)
        for task in MINIBATCH:
            if task not in {t for t, _ in self.done(parent)}:
                self.run(parent, Split.TRAIN, task, float(task == "train-203"))
        if operator == "reflect":
            self.story.called(
                f"item/{item}/reflect/0",
                Role.REFLECT,
                (1840, 310),
                "0.0077",
                seconds=6.5,
                estimated=number == 4,
            )
        return item

    def done(self, candidate: str) -> list[tuple[str, int]]:
        return list(self.story.archive().state.rollouts.get((candidate, Split.TRAIN), {}))

    def propose(
        self, number: int, child: str, parent: str, operator: str, files: dict[str, str], val: float
    ) -> None:
        item = self.begin(number, parent, operator)
        parents = (parent, "c09ad417") if operator == "merge" else (parent,)
        reason = "Names the topic alone, and says that results of software makers are Business."
        self.story.candidate(child, files, parents, item, operator, reason)
        self.minibatch(child, 0.67)
        self.evaluate(child, Split.VAL, val)
        self.story.decided(
            item, child, "accepted", "better", "better than its parent", (0.33, 0.67, val)
        )

    def reject(
        self,
        number: int,
        child: str,
        parent: str,
        code: str,
        scores: tuple[float, float],
        val: float | None = None,
    ) -> None:
        item = self.begin(number, parent, "reflect")
        files = {"prompt.md": f"{PROMPT}Think about it first.\n"}
        self.story.candidate(child, files, (parent,), item, "reflect", "")
        self.minibatch(child, scores[1])
        if val is not None:
            self.evaluate(child, Split.VAL, val)
        reason = "the child is not better than its parent on the same tasks"
        self.story.decided(item, child, "rejected", code, reason, (*scores, val))

    def minibatch(self, child: str, share: float) -> None:
        for place, task in enumerate(MINIBATCH):
            self.run(child, Split.TRAIN, task, float(place < round(3 * share)))

    def fail(self, number: int, parent: str, code: str, reason: str) -> None:
        item = self.begin(number, parent, "reflect")
        self.story.decided(item, None, "failed", code, reason, (0.33, None, None))

    def skip(self, number: int, parent: str) -> None:
        item = self.begin(number, parent, "demos")
        self.no(item, "skipped", "perfect_minibatch", "the parent solves the whole minibatch")

    def no(self, item: str, outcome: Outcome, code: str, reason: str) -> None:
        self.story.decided(item, None, outcome, code, reason, (1.0, None, None))

    def lost(self) -> CallLost:
        return CallLost(
            call="call/x",
            number=2,
            role=Role.TASK,
            model="openai:gpt-4o-mini",
            tokens_in=512,
            tokens_out=16,
            money=Decimal("0.0001"),
        )


@pytest.fixture(scope="session")
def news() -> Story:
    """A finished run, killed once on the way."""
    return NewsRun().tell()


@pytest.fixture(scope="session")
def report(news: Story) -> Report:
    """The report of the finished run."""
    return build_report(news.archive(), "runs/news")


Printed = Callable[[Callable[[Console], None]], str]


@pytest.fixture
def printed() -> Printed:
    """Return what something prints on a terminal of 80 columns without colour."""

    def run(prints: Callable[[Console], None]) -> str:
        file = io.StringIO()
        prints(Console(file=file, width=80))
        return file.getvalue()

    return run


def awkward_run(tasks: int = 20) -> Story:
    """Tell a run whose names and texts are as hard to print as they can be."""
    counts = {Split.TRAIN: 3, Split.VAL: tasks}
    story = Story("名前" * 60, counts, {"algorithm": {"kind": "x" * 90}})
    story.session()
    names = ["task-" + "long-" * 60, "猫" * 90, "[red]no markup[/red]", "\x1b[31mred", "<script>"]
    names += [f"task {n}" for n in range(tasks - len(names))]
    story.candidate("seed", {"prompt.md": HOSTILE, "a" * 190 + ".md": "x" * 400})
    story.rollouts("seed", Split.VAL, dict.fromkeys(names, 0.0))
    story.decided("seed", "seed", "accepted")
    story.selected("p0001", "seed", tuple(names[:5]), "reflect" * 20)
    story.rollouts("seed", Split.TRAIN, {"other": Boundary.SANDBOX})
    files = {"prompt.md": f"{HOSTILE}\n{HOSTILE * 9}", "b" * 190 + ".md": "\u202eevil\n"}
    story.candidate("c1", files, ("seed",), "p0001", "reflect" * 20, HOSTILE * 9)
    story.rollouts("c1", Split.VAL, {name: float(n % 3 > 0) for n, name in enumerate(names)})
    story.decided("p0001", "c1", "accepted", "better", HOSTILE)
    for number in range(2, 30):
        story.selected(f"p{number:04}", "c1", (), "reflect")
        story.decided(f"p{number:04}", None, "failed", f"code_{number}", HOSTILE * 3)
    story.ended("provider", message=HOSTILE * 5)
    return story


HOSTILE = "<script>alert(1)</script> [bold]</pre> ``` | \x1b]0;title\x07 \u202e tab\tcat 😀 "


@pytest.fixture(scope="session")
def awkward() -> Story:
    """A run that is as hard to print as it can be."""
    return awkward_run()


@pytest.fixture(scope="session")
def large() -> Story:
    """A run with 10,000 validation tasks."""
    return awkward_run(10_000)

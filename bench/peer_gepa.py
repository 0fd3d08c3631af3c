"""gepa 0.1.4 in the bench, by its public API: one proposal at a time, or several in parallel."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from gepa.api import optimize
from gepa.core.adapter import EvaluationBatch
from gepa.core.callbacks import ValsetEvaluatedEvent
from gepa.core.result import GEPAResult
from gepa.strategies.proposal_sampling import IndependentSampling, SingleMutationSampling

from bench.race import SLOTS, Race, Run
from bench.row import Row
from evolith.core.task import Task
from evolith.simulate.marks import key_in
from evolith.simulate.scorer import judge
from evolith.simulate.world import SEED_PROMPT

MINIBATCH = 3
COMPONENT = "prompt"
Result = tuple[str, float, dict[str, str]]
"""Answer, score, and what reflection is shown of both."""
Batch = EvaluationBatch[dict[str, str], str]


def gepa_threads(race: Race) -> Row:
    """One proposal at a time, the tasks of a batch side by side: the synchronous baseline."""
    return _run(race, "gepa-threads", 1)


def gepa_ind4(race: Race) -> Row:
    """Four proposals from parents of their own in each iteration, evaluated in one batch."""
    return _run(race, "gepa-ind4", 4)


def gepa_ind8(race: Race) -> Row:
    """The same with eight, its fastest setting."""
    return _run(race, "gepa-ind8", 8)


def _run(race: Race, name: str, parallel: int) -> Row:
    with ThreadPoolExecutor(SLOTS) as pool:
        run = Run(race)
        watch = _Watch(run)
        several = parallel > 1
        result: GEPAResult[str, int] = optimize(
            seed_candidate={COMPONENT: SEED_PROMPT},
            trainset=list(run.world.tasks.train),
            valset=list(run.world.tasks.val),
            adapter=cast("Any", (_Together if several else _Adapter)(run, pool)),
            reflection_lm=(_ReflectTogether if several else _Reflect)(run, pool),
            reflection_minibatch_size=MINIBATCH,
            seed=race.seed,
            sampling_strategy=IndependentSampling(parallel)
            if several
            else SingleMutationSampling(),
            callbacks=[cast("Any", watch)],  # its protocol names all events; each is optional
            stop_callbacks=[watch],
            logger=_Silent(),
        )
        end = run.now
    best = result.best_candidate
    assert isinstance(best, dict)
    run.judge.choose(best[COMPONENT], max(result.val_aggregate_scores), end)
    return run.row(name, end)


class _Adapter:
    """Answers and judges tasks as gepa asks for it."""

    propose_new_texts = None

    def __init__(self, run: Run, pool: ThreadPoolExecutor) -> None:
        self._client, self._pool = run.client, pool

    def evaluate(
        self,
        batch: Sequence[Task],
        candidate: Mapping[str, str],
        capture_traces: bool = False,  # noqa: ARG002, FBT001, FBT002 - gepa's protocol
    ) -> Batch:
        """Run one candidate on tasks."""
        return _batch(list(self._pool.map(self._answer, [(candidate, task) for task in batch])))

    def make_reflective_dataset(
        self,
        candidate: Mapping[str, str],  # noqa: ARG002 - gepa's protocol
        eval_batch: Batch,
        components_to_update: Sequence[str],
    ) -> dict[str, list[dict[str, str]]]:
        """Return what reflection is shown."""
        return {name: list(eval_batch.trajectories or ()) for name in components_to_update}

    def _answer(self, pair: tuple[Mapping[str, str], Task]) -> Result:
        candidate, task = pair
        answer = self._client.ask(candidate[COMPONENT], task.input, "fake-task")
        score = judge(key_in(task.input) or "", answer)
        shown = {
            "Inputs": task.input,
            "Generated Outputs": answer,
            "Feedback": score.feedback,
        }
        return answer, score.value, shown


class _Together(_Adapter):
    """The same, with all evaluations of an iteration in one go."""

    def batch_evaluate(
        self,
        items: Sequence[tuple[Mapping[str, str], Sequence[Task]]],
        capture_traces: bool = True,  # noqa: ARG002, FBT001, FBT002 - gepa's protocol
    ) -> list[Batch]:
        """Run several candidates, each on tasks of its own."""
        pairs = [(candidate, task) for candidate, batch in items for task in batch]
        results = self._pool.map(self._answer, pairs)
        return [_batch([next(results) for _ in batch]) for _, batch in items]


class _Reflect:
    """Asks the reflection model."""

    def __init__(self, run: Run, pool: ThreadPoolExecutor) -> None:
        self._client, self._pool = run.client, pool

    def __call__(self, prompt: str | Sequence[Mapping[str, str]]) -> str:
        text = prompt if isinstance(prompt, str) else prompt[-1]["content"]
        return self._client.ask("", text, "fake-reflect")


class _ReflectTogether(_Reflect):
    """The same, for several prompts at once."""

    def batch_complete(self, prompts: Sequence[str]) -> list[str]:
        """Return the answers in the order of the prompts."""
        return list(self._pool.map(self, prompts))


class _Watch:
    """Tells the judge what joins gepa's pool; stops gepa between two iterations."""

    def __init__(self, run: Run) -> None:
        self._run, self._best = run, -1.0

    def on_proposal_end(self, event: object) -> None:  # noqa: ARG002 - gepa's protocol
        """Count a proposal."""
        self._run.proposals += 1

    def on_valset_evaluated(self, event: ValsetEvaluatedEvent) -> None:
        """Note a new member of the pool; gepa would return the first of the best."""
        candidate, own = event["candidate"], event["average_score"]
        now = self._run.now
        self._run.judge.accept(candidate[COMPONENT], now)
        if own > self._best:
            self._best = own
            self._run.judge.choose(candidate[COMPONENT], own, now)

    def __call__(self, gepa_state: object) -> bool:  # noqa: ARG002 - gepa's protocol
        return self._run.done


class _Silent:
    log: Callable[[str], None] = staticmethod(lambda _: None)


def _batch(results: Sequence[Result]) -> Batch:
    return EvaluationBatch(
        outputs=[answer for answer, _, _ in results],
        scores=[score for _, score, _ in results],
        trajectories=[shown for _, _, shown in results],
    )

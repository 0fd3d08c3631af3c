"""The work of one session, in order: the seed, the search, the sealed test."""

from dataclasses import dataclass

import anyio

from evolith.algorithms.evaluating import MOST_FAILED
from evolith.archive.archive import dump_artifact
from evolith.core.budget import Amount, Budget
from evolith.core.candidate import SEED
from evolith.core.events import CandidateAdded, Decided, RunCreated, TestOpened, Verdict
from evolith.core.rollout import Rollout
from evolith.core.task import Split
from evolith.engine.pipeline import drive
from evolith.errors import Boundary, ProviderError, UserCodeFailed
from evolith.session.aside import Aside, missing_test_rollouts
from evolith.session.claim import claim
from evolith.session.heart import Heart
from evolith.session.setup import Parts, basis


@dataclass(slots=True)
class Work:
    """Carries one run on, as far as its budget goes.

    Args:
        parts: The working parts.
        budget: The limits of the whole run.
        deadline: Monotonic seconds (anyio's clock) at which the wall-time budget is used up.
    """

    parts: Parts
    budget: Budget
    deadline: float = float("inf")

    async def begin(self) -> None:
        """Record what the run is, and its seed, unless that was done before."""
        parts, state = self.parts, self.parts.archive.state
        if state.run is None:
            settings, tasks = basis(parts.config, parts.tasks)
            counts = {split: len(parts.tasks[split]) for split in Split}
            await parts.archive.append(
                RunCreated(name=parts.config.name, config=settings, tasks=tasks, counts=counts)
            )
        if SEED not in state.candidates:
            text, digest = dump_artifact(parts.materials.seed)
            seed = CandidateAdded(
                id=SEED, artifact=digest, parents=(), item="", operator=SEED, rationale="", cursor=0
            )
            await parts.archive.append(seed, blobs=[text])

    async def seed(self) -> None:
        """Run the seed on the validation split, the measure of everything later.

        Raises:
            RunStopped: the budget does not hold it.
            ProviderError | UserCodeFailed: too many of its rollouts failed to say anything.
        """
        archive = self.parts.archive
        if SEED in archive.state.decided:
            return
        if not self.parts.evolution.workshop.algorithm.seed_first:
            await self._decide_seed("the first champion; it is run beside what is to replace it")
            return
        rollouts = await self.parts.runner.evaluate(
            archive.candidate(SEED), self.parts.tasks.val, Split.VAL
        )
        _refuse_failures(rollouts)
        mean = archive.state.mean(SEED, Split.VAL)
        await self._decide_seed(f"{mean or 0.0:.3f} on validation")

    async def _decide_seed(self, reason: str) -> None:
        archive = self.parts.archive
        await archive.append(
            Decided(
                item=SEED,
                order=0,
                candidate=SEED,
                verdict=Verdict(outcome="accepted", code=SEED, reason=reason),
                version=0,
                val=archive.state.mean(SEED, Split.VAL),
            )
        )

    async def search(self) -> str:
        """Run the algorithm until it has nothing more to do; return why it ended.

        Raises:
            RunStopped: a budget or a request to stop.
            ProviderError: the provider refuses the run.
            ArchiveError: something cannot be recorded.
            UserCodeFailed: the agent or the scorer fails on everything.
        """
        evolution, run = self.parts.evolution, self.parts.config.run
        heart = Heart(self.parts.archive, self.parts.number)
        aside = Aside(self.parts, self.budget)
        evolution.prepare = aside.keep
        stopped: Exception | None = None
        async with anyio.create_task_group() as group:
            group.start_soon(aside.watch, self.deadline)
            if run.schedule == "async":
                group.start_soon(heart.beat)
            try:
                await self._drive(heart)
            except Exception as reason:  # noqa: BLE001 - raised below, outside the group, as itself
                stopped = reason
            if run.schedule == "async":
                await heart.last()
            group.cancel_scope.cancel()
        if stopped is not None:
            raise stopped
        return evolution.ended

    async def _drive(self, heart: Heart) -> None:
        evolution, run = self.parts.evolution, self.parts.config.run
        halted: Exception | None = None
        async with anyio.create_task_group() as background:
            if run.schedule == "async":
                self.parts.runner.background = background
            try:
                stages, control = evolution.stages(), run.control.control()
                await drive(evolution, stages, run.in_flight, control, heart.pulse)
            except Exception as error:  # noqa: BLE001 - raised below, outside the group, as itself
                # What is in the background is paid for, and comes to its end.
                halted = error
        self.parts.runner.background = None
        if halted is not None:
            raise halted

    async def claim(self) -> None:
        """State the champion's score, where the search did not run it whole.

        Raises:
            RunStopped: the budget does not hold it, or a stop was asked for.
        """
        self.parts.ledger.reopen()
        await claim(self.parts)

    async def test(self) -> None:
        """Open the sealed test split for seed and champion.

        Raises:
            RunStopped: the budget does not hold it, or a stop was asked for.
        """
        archive, tasks = self.parts.archive, self.parts.tasks.test
        champion = archive.state.champion
        if not tasks or champion is None:
            return
        self.parts.ledger.reopen()
        self.parts.ledger.require(Amount(rollouts=missing_test_rollouts(self.parts)))
        opened = {test.candidate for test in archive.state.tests}
        use = 1 + sum(test.candidate != SEED for test in archive.state.tests)
        for identity in dict.fromkeys((SEED, champion)):
            if identity not in opened:
                await archive.append(TestOpened(candidate=identity, use=use))
            attempts = self.parts.config.test.attempts
            candidate = archive.candidate(identity)
            await self.parts.runner.evaluate(candidate, tasks, Split.TEST, attempts)


def _refuse_failures(rollouts: list[Rollout]) -> None:
    failures = [rollout.failure for rollout in rollouts if rollout.failure is not None]
    if len(failures) <= MOST_FAILED * len(rollouts):
        return
    first = failures[0]
    said = f"{len(failures)} of {len(rollouts)} rollouts of the seed failed: {first.message}"
    if first.boundary is Boundary.PROVIDER:
        fix = "see that the server answers (evolith doctor), then resume the run"
        raise ProviderError(said, where="models", fix=fix)
    part = "scorer" if first.boundary is Boundary.SCORER else "agent"
    raise UserCodeFailed(said, where=part, fix=f"mend the {part}, then resume the run")

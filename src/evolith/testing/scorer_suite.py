"""What every scorer must do, as tests to inherit.

A scorer says what it judges, and gives an output that is right and one that is wrong::

    class TestMyScorer(ScorerSuite):
        @pytest.fixture
        def scorer(self) -> Scorer:
            return MyScorer()

        @pytest.fixture
        def case(self) -> ScorerCase:
            task = Task("t1", "What is the capital of France?", answer="Paris")
            return ScorerCase(task, right="Paris", wrong="London")
"""

from dataclasses import dataclass

import anyio
import pytest

from evolith.core.ports import Chat, Scorer
from evolith.core.rollout import Trajectory
from evolith.core.score import Score
from evolith.core.task import Task, as_text
from evolith.testing.recording_chat import RecordingChat

DISTINCTIVE = 4
"""Characters from which an answer cannot stand in feedback by chance."""


@dataclass(frozen=True, slots=True)
class ScorerCase:
    """A task with two outputs to judge.

    Args:
        task: With its answer.
        right: An output that passes.
        wrong: An output that does not, and that does not hold the answer.
    """

    task: Task
    right: str
    wrong: str


class ScorerSuite:
    """The contract of `Scorer`. Where the scorer asks a judge, override `chat`."""

    @pytest.fixture
    def scorer(self) -> Scorer:
        """Return the scorer under test."""
        raise NotImplementedError

    @pytest.fixture
    def case(self) -> ScorerCase:
        """Return what it judges."""
        raise NotImplementedError

    def chat(self, output: str) -> Chat:  # noqa: ARG002 - for those who override it
        """Return the model of the judge role for the judgement of `output`."""
        return RecordingChat()

    def score(self, scorer: Scorer, case: ScorerCase, output: str) -> Score:
        """Judge an output."""

        async def judge() -> Score:
            return await scorer.score(case.task, Trajectory(output), self.chat(output))

        return anyio.run(judge)

    def test_a_right_output_passes(self, scorer: Scorer, case: ScorerCase) -> None:
        """It has a value above 0."""
        score = self.score(scorer, case, case.right)
        assert score.passed
        assert score.value > 0

    def test_a_wrong_output_does_not_pass(self, scorer: Scorer, case: ScorerCase) -> None:
        """Its value is lower, and the feedback says something."""
        score = self.score(scorer, case, case.wrong)
        assert not score.passed
        assert score.value < self.score(scorer, case, case.right).value
        assert score.feedback

    def test_an_empty_output_is_wrong_and_no_failure(
        self, scorer: Scorer, case: ScorerCase
    ) -> None:
        """A model that says nothing has answered wrongly."""
        assert not self.score(scorer, case, "").passed

    def test_feedback_does_not_tell_the_answer(self, scorer: Scorer, case: ScorerCase) -> None:
        """A scorer that was not told to reveal the answer keeps it."""
        answer = as_text(case.task.answer)
        assert len(answer) >= DISTINCTIVE
        assert answer not in case.wrong
        for output in (case.wrong, ""):
            assert answer not in self.score(scorer, case, output).feedback

    def test_the_same_output_gets_the_same_score(self, scorer: Scorer, case: ScorerCase) -> None:
        """Also when many are judged at once, in any order."""
        outputs = [case.right, case.wrong] * 8
        scores: dict[int, Score] = {}

        async def judge(place: int, output: str) -> None:
            trajectory = Trajectory(output)
            scores[place] = await scorer.score(case.task, trajectory, self.chat(output))

        async def all_at_once() -> None:
            async with anyio.create_task_group() as group:
                for place, output in enumerate(outputs):
                    group.start_soon(judge, place, output)

        anyio.run(all_at_once)
        alone = {output: self.score(scorer, case, output) for output in set(outputs)}
        assert scores == {place: alone[output] for place, output in enumerate(outputs)}

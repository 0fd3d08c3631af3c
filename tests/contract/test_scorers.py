"""Every scorer keeps the contract, by the suite that ships."""

import sys
import tomllib
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from evolith.core.ports import Chat, Scorer
from evolith.core.task import Task, TaskSet, Value
from evolith.scorers.build import build_scorer
from evolith.scorers.config import ScorerConfig
from evolith.testing.recording_chat import RecordingChat
from evolith.testing.scorer_suite import ScorerCase, ScorerSuite

CONFIG: TypeAdapter[ScorerConfig] = TypeAdapter(ScorerConfig)
OTHER = Task("t2", "?", answer="London")


class BuiltSuite(ScorerSuite):
    """Builds the scorer from its table of the config."""

    table: str
    answer: Value = "Paris"
    right = "Paris"
    wrong = "London"

    @pytest.fixture
    def case(self) -> ScorerCase:
        task = Task("t1", "Capital of France?", answer=self.answer)
        return ScorerCase(task, right=self.right, wrong=self.wrong)

    @pytest.fixture
    def scorer(self, case: ScorerCase, tmp_path: Path) -> Scorer:
        (tmp_path / "contract_grading.py").write_text(GRADING)
        config = CONFIG.validate_python(tomllib.loads(self.table))
        others = (OTHER,) if "choice" in self.table else ()
        return build_scorer(config, tmp_path, TaskSet((case.task,), others))


GRADING = """
import json, sys

def grade(task, trajectory):
    return trajectory.output == task.answer, f"{trajectory.output} is not {task.answer}"

if __name__ == "__main__":
    given = json.load(sys.stdin)
    feedback = f"{given['output']} is not {given['answer']}"
    print(json.dumps({"score": given["output"] == given["answer"], "feedback": feedback}))
"""


class TestExact(BuiltSuite):
    table = 'kind = "exact"'


class TestChoice(BuiltSuite):
    table = 'kind = "choice"'


class TestContains(BuiltSuite):
    table = 'kind = "contains"'


class TestRegex(BuiltSuite):
    table = """
    kind = "regex"
    pattern = "is (.+)"
    """
    right, wrong = "It is Paris", "It is London"


class TestNumeric(BuiltSuite):
    table = 'kind = "numeric"'
    answer, right, wrong = 4711, "4,711 km", "4712"


class TestF1(BuiltSuite):
    table = 'kind = "f1"'


class TestJson(BuiltSuite):
    table = 'kind = "json"'
    answer, right, wrong = {"city": "Paris"}, '{"city": "Paris"}', '{"city": "London"}'


class TestFields(BuiltSuite):
    table = """
    kind = "fields"
    fields = { city = 1 }
    """
    answer, right, wrong = {"city": "Paris"}, "city: Paris", "city: London"


class TestFunction(BuiltSuite):
    table = """
    kind = "function"
    function = "contract_grading:grade"
    """


class TestCommand(BuiltSuite):
    table = f"""
    kind = "command"
    command = ["{sys.executable}", "contract_grading.py"]
    """


class TestJudge(BuiltSuite):
    table = """
    kind = "judge"
    rubric = "The right city."
    """

    def chat(self, output: str) -> Chat:
        grade = 10 if output == self.right else 0
        return RecordingChat(f"It should say {self.answer}.\nSCORE: {grade}")

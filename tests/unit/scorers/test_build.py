"""A scorer that cannot judge the tasks is refused before anything is paid."""

from pathlib import Path

import pytest
from pydantic import TypeAdapter

from evolith.core.ports import Scorer
from evolith.core.task import Task, TaskSet, Value
from evolith.errors import ConfigError, TasksError
from evolith.scorers.build import build_scorer
from evolith.scorers.config import ScorerConfig

CONFIG: TypeAdapter[ScorerConfig] = TypeAdapter(ScorerConfig)


def build(table: dict[str, object], answer: Value, base: Path = Path()) -> Scorer:
    tasks = TaskSet((Task("good", "?", answer=answer),), (Task("row-9", "?", answer=answer),))
    return build_scorer(CONFIG.validate_python(table), base, tasks)


@pytest.mark.parametrize(
    ("table", "answer", "said"),
    [
        ({"kind": "exact"}, None, "the task has no answer"),
        ({"kind": "f1"}, " ", "the task has no answer"),
        ({"kind": "contains"}, [], "the task has no answer"),
        ({"kind": "choice"}, "?", "none of the options"),
        ({"kind": "choice", "options": ["Sports", "World"]}, "Sport", "none of the options"),
        ({"kind": "regex"}, "(", "no regular expression"),
        ({"kind": "numeric"}, "many", "not one number"),
        ({"kind": "numeric"}, "3/4", "not one number"),
        ({"kind": "json"}, "{", "the answer is no JSON"),
        ({"kind": "fields", "fields": {"city": 1}}, "Paris", "no JSON object"),
        ({"kind": "fields", "fields": {"city": 1}}, {"town": 1}, "no field city"),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused_with_its_task(
    table: dict[str, object], answer: Value, said: str
) -> None:
    with pytest.raises(TasksError, match=said) as caught:
        build(table, answer)
    assert caught.value.where == "task good"
    assert caught.value.fix


def test_an_option_that_is_nearly_the_answer_is_named() -> None:
    with pytest.raises(TasksError) as caught:
        build({"kind": "choice", "options": ["Sports", "World"]}, "Sport")
    assert "did you mean Sports?" in caught.value.fix


@pytest.mark.parametrize(
    ("table", "where"),
    [
        ({"kind": "choice", "options": ["A", "a."]}, "scorer.options"),
        ({"kind": "choice", "options": ["A", ""]}, "scorer.options"),
        ({"kind": "regex", "pattern": "("}, "scorer.pattern"),
        ({"kind": "regex", "pattern": "no group"}, "scorer.pattern"),
        ({"kind": "fields", "fields": {}}, "scorer.fields"),
        ({"kind": "fields", "fields": {"a": 1, "A ": 2}}, "scorer.fields"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_refused(table: dict[str, object], where: str) -> None:
    with pytest.raises(ConfigError) as caught:
        CONFIG.validate_python(table)
    assert caught.value.where == where


def test_judges_of_the_user_need_no_answers(tmp_path: Path) -> None:
    (tmp_path / "grading.py").write_text("def grade(task, trajectory): return 1\n")
    build({"kind": "function", "function": "grading:grade"}, None, tmp_path)
    build({"kind": "judge", "rubric": "Is it polite?"}, None)

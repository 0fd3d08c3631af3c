import json

import pytest
from pydantic import TypeAdapter

from evolith.report.build import build_report
from evolith.report.data import FORMAT, Report
from evolith.report.json import to_json
from evolith.testing.story import Story


@pytest.mark.parametrize("name", ["news", "awkward"])
def test_a_report_comes_back_from_its_json(name: str, request: pytest.FixtureRequest) -> None:
    story: Story = request.getfixturevalue(name)
    report = build_report(story.archive())
    text = json.dumps(to_json(report))
    assert TypeAdapter(Report).validate_json(text) == report


def test_the_keys_are_those_of_format_2(report: Report) -> None:
    """A change here breaks the programs of users: raise FORMAT with it."""
    assert FORMAT == 2
    assert list(to_json(report)) == [
        "format",
        "name",
        "folder",
        "seed",
        "algorithm",
        "schedule",
        "tasks",
        "state",
        "champion",
        "claim",
        "val",
        "test",
        "test_uses",
        "test_note",
        "flags",
        "cost",
        "pace",
        "overlap",
        "proposals",
        "under_way",
        "curve",
        "lineage",
        "change",
    ]


def test_every_gained_task_is_there(report: Report) -> None:
    data = json.loads(json.dumps(to_json(report)))
    assert len(data["test"]["comparison"]["gained"]) == 78
    assert data["cost"]["total"]["money"] == "0.13545460"

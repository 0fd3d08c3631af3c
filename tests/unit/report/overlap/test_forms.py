"""Overlapping work in every form that a report has."""

import json
from collections.abc import Callable

import pytest
from pydantic import TypeAdapter
from rich.cells import cell_len
from rich.console import Console

from evolith.report.build import build_report
from evolith.report.data import Report
from evolith.report.html import to_html
from evolith.report.json import to_json
from evolith.report.markdown import to_markdown
from evolith.report.text import print_report
from evolith.testing.story import Story

Printed = Callable[[Callable[[Console], None]], str]
SECTIONS = ("Stages", "Staleness", "Stale proposals", "Before all was back")


@pytest.fixture
def text(busy: Story, printed: Printed) -> str:
    return printed(lambda console: print_report(build_report(busy.archive(), "runs/b"), console))


@pytest.mark.parametrize(
    "row",
    [
        "  rollout          4     2     9     500 ms      1        3  10.0%",
        "  Committer: 9 decisions, which waited 4 ms (median) and 21 ms (99th",
        "  0                 3  ####################################",
        "  2                 2  ########################",
        "  patched          1             40  worked into the champion by a repair call",
        "  dropped          1              0  dropped as too old",
        "  tentative candidates    2  1 confirmed, 1 retracted",
        "  fell with it            1  proposals whose tentative parent was retracted",
        "  evaluations ended early  1  3 rollouts saved",
        "  repair calls                                  0      40    5.6%  $0.0040",
        "  stale proposals, dropped or discarded         1     110   15.4%    $0.01",
        "  proposals         6      15.0",
        "  Money for each accepted improvement: $0.02",
    ],
)
def test_the_report_of_an_asynchronous_run_shows_it(row: str, text: str) -> None:
    words = [line.split() for line in text.splitlines()]
    assert row.split() in words


def test_it_fits_into_80_columns(text: str) -> None:
    assert max(cell_len(line) for line in text.splitlines()) <= 80


def test_it_says_the_same_without_colour_and_with_it(busy: Story, printed: Printed) -> None:
    def coloured(console: Console) -> None:
        loud = Console(file=console.file, width=80, force_terminal=True, no_color=True)
        print_report(build_report(busy.archive(), "runs/b"), loud)

    said = printed(coloured)
    assert "####" in said
    assert "\x1b[3" not in said  # sequences of colours begin like this


@pytest.mark.parametrize("section", SECTIONS)
def test_a_synchronous_run_shows_none_of_it(section: str, printed: Printed) -> None:
    story = Story("plain", {})
    story.session()
    story.candidate("seed", {"prompt.md": ""})
    story.decided("seed", "seed", "accepted")
    report = build_report(story.archive())
    text = printed(lambda console: print_report(report, console))
    assert section not in text
    assert f"## {section}" not in to_markdown(report)
    assert f"<h2>{section}</h2>" not in to_html(report)


def test_an_asynchronous_run_that_has_just_begun_shows_none_of_it(printed: Printed) -> None:
    story = Story("new", {}, {"run": {"schedule": "async"}})
    story.session()
    report = build_report(story.archive())
    text = printed(lambda console: print_report(report, console)) + to_markdown(report)
    assert not [section for section in SECTIONS if section in text]
    assert "<h2>Stages</h2>" not in to_html(report)


def test_markdown_has_the_same_sections(busy: Story) -> None:
    text = to_markdown(build_report(busy.archive()))
    for section in SECTIONS:
        assert f"## {section}\n" in text
    assert "| evaluate | 4 | 2 | 9 | 500 ms | 1 | 3 | 10.0% |" in text


def test_the_page_draws_queues_and_staleness(busy: Story) -> None:
    text = to_html(build_report(busy.archive()))
    for section in ("Pace", "Stages", "Staleness", "Before all was back"):
        assert f"<h2>{section}</h2>" in text
    assert "Items that waited and were worked on in each stage against seconds" in text
    assert "Proposals by their staleness" in text
    assert "staleness 2: 2" in text


def test_the_page_draws_the_score_against_rollouts_tokens_and_minutes(busy: Story) -> None:
    text = to_html(build_report(busy.archive()))
    for axis in ("rollouts", "tokens", "minutes"):
        assert f"Validation score of the champion against {axis}" in text


@pytest.mark.parametrize("name", ["busy", "flash"])
def test_json_has_the_same_data(name: str, request: pytest.FixtureRequest) -> None:
    story: Story = request.getfixturevalue(name)
    report = build_report(story.archive())
    text = json.dumps(to_json(report))
    assert TypeAdapter(Report).validate_json(text) == report
    data = json.loads(text)
    assert {use["cause"] for use in data["cost"]["uses"]} >= {"used"}
    if name == "busy":
        assert data["overlap"]["staleness"] == {"0": 3, "1": 1, "2": 2}
        assert data["overlap"]["committer"]["wait_p99"] == 0.021
        assert len(data["overlap"]["beats"]) == 3


def test_the_claimed_score_stands_beside_that_of_validation(flash: Story, printed: Printed) -> None:
    report = build_report(flash.archive())
    said = "90.0%, 95% 70.0-100.0, on 6 fresh rollouts that chose nothing"
    assert said in printed(lambda console: print_report(report, console))
    assert said in to_markdown(report)
    assert said in to_html(report)
    assert to_json(report)["claim"] == {
        "value": {"value": 0.9, "low": 0.7, "high": 1.0, "n": 6},
        "fresh": True,
    }


def test_a_claim_for_an_earlier_champion_is_not_shown(flash: Story) -> None:
    flash.session(2)
    flash.selected("p0010", "l2", (), "judge")
    flash.decided("p0010", "l2", "accepted", "proved", "+0.500 against the champion")
    assert build_report(flash.archive()).claim is None


def test_codes_are_listed_with_plain_words(flash: Story, printed: Printed) -> None:
    text = printed(lambda console: print_report(build_report(flash.archive()), console))
    rows = {tuple(line.split()[:3]): line for line in text.splitlines() if line.startswith("  ")}
    assert "waits to be fused" in " ".join(text.split())
    assert ("accepted", "1", "proved") in rows
    assert "won a direct comparison with the champion" in rows["accepted", "1", "proved"]
    assert "Proposals  6 decided, 3 looks and judgements beside them" in text


def test_what_is_held_or_only_looked_at_is_not_among_the_refused(
    flash: Story, printed: Printed
) -> None:
    text = printed(lambda console: print_report(build_report(flash.archive()), console))
    refused = text.split("Not adopted")[1].split("\n\n")[0].splitlines()[2:]
    assert [line.split()[:2] for line in refused] == [["p0008", "judge"]]

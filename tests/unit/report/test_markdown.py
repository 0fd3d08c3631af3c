import re

from hypothesis import given
from hypothesis import strategies as st

from evolith.report.build import build_report
from evolith.report.data import Report
from evolith.report.markdown import escape, to_markdown
from evolith.testing.story import Story


def test_the_headline_and_every_section_are_there(report: Report) -> None:
    text = to_markdown(report)
    assert text.startswith("# news\n\nOn the sealed test tasks the champion scores 46.0%")
    assert re.findall("^## (.*)$", text, re.MULTILINE) == [
        "Sealed test",
        "Validation",
        "Keep in mind",
        "Cost of the run",
        "Cost of one task",
        "Pace",
        "Proposals",
        "Best validation score",
        "Lineage",
        "What changed",
    ]


def test_every_row_of_a_table_has_its_cells(awkward: Story) -> None:
    text = to_markdown(build_report(awkward.archive()))
    for table in re.findall(r"(?:^\|.*\|\n?)+", text, re.MULTILINE):
        cells = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
        assert len(cells) == 1


def test_model_text_cannot_end_the_fence_of_the_diff(awkward: Story) -> None:
    text = to_markdown(build_report(awkward.archive()))
    fence = re.findall("^(`{3,})diff$", text, re.MULTILINE)[0]
    body = text.split(f"{fence}diff\n")[1]
    assert "```" in body.split(f"\n{fence}")[0]
    assert body.endswith(f"\n{fence}\n")


@given(st.text())
def test_no_escaped_text_makes_an_element_or_a_cell(text: str) -> None:
    assert not re.search(r"(?<!\\)(\\\\)*[<|`*\[]", escape(text))
    assert "\n" not in escape(text)

import re
from html.parser import HTMLParser

import pytest

from evolith.report.build import build_report
from evolith.report.data import Report
from evolith.report.html import to_html
from evolith.testing.story import Story

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """Reads a page; a tag that is not closed, or closed twice, is an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@pytest.fixture(params=["news", "awkward", "empty"])
def text(request: pytest.FixtureRequest) -> str:
    empty = request.param == "empty"
    story: Story = Story("empty") if empty else request.getfixturevalue(request.param)
    return to_html(build_report(story.archive(), "runs/one"))


def test_the_page_is_well_formed(text: str) -> None:
    page = Page(text)
    assert page.open == []
    assert page.tags.count("h1") == 1


def test_the_page_refers_to_nothing_outside(text: str) -> None:
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & {*page.tags}
    assert not {"src", "href", "xlink:href", "style", "action"} & {n for n, _ in page.attributes}
    style = text.split("<style>")[1].split("</style>", maxsplit=1)[0]
    assert "url(" not in style
    assert "@import" not in style


def test_the_page_allows_no_script(text: str) -> None:
    policy = dict(Page(text).attributes)["content"]
    contents = [value or "" for name, value in Page(text).attributes if name == "content"]
    assert policy is not None
    assert any(
        value.startswith("default-src 'none'; style-src 'unsafe-inline'") for value in contents
    )
    assert not any(name.startswith("on") for name, _ in Page(text).attributes)


def test_hostile_text_of_a_model_is_shown_and_not_run(awkward: Story) -> None:
    text = to_html(build_report(awkward.archive()))
    page = Page(text)
    assert "<script" not in text
    assert any("<script>alert(1)</script>" in words for words in page.words)
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_every_task_gained_or_lost_is_named(report: Report) -> None:
    words = {word.strip() for word in Page(to_html(report)).words}
    assert report.test.comparison
    assert {*report.test.comparison.gained, *report.test.comparison.lost} <= words


def test_the_curve_and_the_lineage_are_drawn_for_wide_and_narrow_pages(report: Report) -> None:
    text = to_html(report)
    labels = re.findall('aria-label="([^"]*)"', text)
    assert labels.count("Validation score of the champion against rollouts") == 2
    assert labels.count("Validation score of the champion against tokens") == 1
    assert labels.count("Validation score of the champion against minutes") == 1
    assert labels.count("Lineage: validation score of each candidate by decision") == 2


def test_the_diff_is_coloured_by_line(report: Report) -> None:
    text = to_html(report)
    assert '<span class="del">-Classify the news article.</span>' in text
    assert '<span class="add">+Read the news article and name its topic.</span>' in text


def test_light_and_dark_are_both_there(report: Report) -> None:
    assert "@media (prefers-color-scheme: dark)" in to_html(report)

"""Links from one page of the project to another lead somewhere."""

import itertools
import re
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token


def inline(page: Path) -> list[Token]:
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8"))
    return [child for token in tokens for child in token.children or ()]


def links(page: Path) -> list[str]:
    targets = [token.attrGet("href") or token.attrGet("src") for token in inline(page)]
    return [str(target) for target in targets if target and "://" not in str(target)]


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings, as the site makes them."""
    tokens = MarkdownIt("commonmark").parse(page.read_text("utf-8"))
    pairs = itertools.pairwise(tokens)
    titles = [text.content for mark, text in pairs if mark.type == "heading_open"]
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", t.lower())).strip("-") for t in titles}


def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), f"{link} leads nowhere"
        if anchor:
            assert anchor in anchors(target), f"{link}: no such heading"


def test_every_page_of_the_site_is_in_its_navigation(root: Path) -> None:
    navigation = (root / "mkdocs.yml").read_text("utf-8")
    listed = set(re.findall(r"[\w/-]+\.md", navigation))
    assert listed == {p.relative_to(root / "docs").as_posix() for p in root.glob("docs/**/*.md")}

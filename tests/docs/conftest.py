"""The pages that a reader may open."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for a page once for each."""
    if "page" in metafunc.fixturenames:
        pages = sorted(PAGES)
        metafunc.parametrize("page", pages, ids=[str(p.relative_to(ROOT)) for p in pages])


@pytest.fixture
def root() -> Path:
    """The folder of the project."""
    return ROOT

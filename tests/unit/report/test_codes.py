import re
from pathlib import Path
from typing import get_args

import pytest

import evolith
from evolith.core.overlap import Met
from evolith.report.codes import fate_words, makes_candidates, verdict_words

CODE = re.compile(r'(?:rejected|failed|held|NothingProposed)\(\s*"(\w+)"|code="(\w+)"')
SOURCES = ("algorithms", "operators")


def used_codes() -> set[str]:
    package = Path(evolith.__file__).parent
    files = [file for part in SOURCES for file in (package / part).rglob("*.py")]
    found = [CODE.findall(file.read_text("utf-8")) for file in files]
    return {one or other for pairs in found for one, other in pairs}


def test_every_code_that_a_verdict_can_have_has_plain_words() -> None:
    codes = used_codes()
    assert {"won", "not_won", "stale", "given_up", "minibatch_not_better"} <= codes
    assert [code for code in sorted(codes) if verdict_words(code) == code.replace("_", " ")] == []


@pytest.mark.parametrize("code", ["proved", "retracted", "moved", "frees", "superseded"])
def test_plain_words_are_not_the_code_again(code: str) -> None:
    assert len(verdict_words(code).split()) > 3


def test_a_code_that_nobody_knows_is_read_as_words() -> None:
    assert verdict_words("quite_new") == "quite new"
    assert fate_words("new") == "new"


def test_every_fate_of_a_stale_proposal_has_plain_words() -> None:
    fates = get_args(Met)
    assert "rebased" in fates
    assert all(fate_words(fate) != fate for fate in fates)


def test_looking_and_judging_make_no_candidate() -> None:
    assert not makes_candidates("look")
    assert not makes_candidates("judge")
    assert makes_candidates("reflect")

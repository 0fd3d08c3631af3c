"""Demonstrations are read back as they were written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.agents.demos import Demo, read_demos, write_demos
from evolith.errors import ArtifactError

TEXT = st.text(st.characters(codec="utf-8"))
FIELDS = st.dictionaries(TEXT, TEXT | st.integers() | st.lists(TEXT), max_size=3)


@given(st.lists(st.builds(Demo, TEXT, TEXT, FIELDS)))
def test_what_is_written_is_read_back(demos: list[Demo]) -> None:
    text = write_demos(demos)
    assert read_demos(text) == demos
    assert text.count("\n") == len(demos)


def test_blank_lines_are_passed_over() -> None:
    assert read_demos('\n{"input": "a", "output": "b"}\r\n\n') == [Demo("a", "b")]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no", "no JSON"),
        ('["a", "b"]', "a JSON object with the texts"),
        ('{"input": "a"}', "the texts input and output"),
        ('{"input": "a", "output": 4}', "the texts input and output"),
        ('{"input": "a", "output": "b", "fields": 3}', "the texts input and output"),
        ('{"input": "a", "output": "b", "ouput": "c"}', "has no ouput"),
        ('{"input": "a", "output": "\\ud83d"}', "no JSON"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(line: str, said: str) -> None:
    with pytest.raises(ArtifactError, match=said) as caught:
        read_demos(f'{{"input": "a", "output": "b"}}\n\n{line}\n')
    assert caught.value.where == "demos.jsonl:3"

"""Tasks are written for the model by a template that data cannot break."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.agents.template import Template
from evolith.errors import ConfigError


@given(st.text(), st.text())
def test_braces_in_data_are_text(question: str, hint: str) -> None:
    template = Template.parse("Q: {input}\n{{as is}} {hint}")
    rendered = template.render({"input": question, "hint": hint})
    assert rendered == f"Q: {question}\n{{as is}} {hint}"


def test_values_that_are_no_text_are_written_as_json() -> None:
    template = Template.parse("{input} {steps} {n}")
    assert template.render({"input": "é", "steps": ["é", None], "n": True}) == 'é ["é", null] true'


@pytest.mark.parametrize("text", ["{input", "input}", "{}", "{input!r}", "{input:>9}", "{0[}"])
def test_braces_that_are_no_field_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="braces") as caught:
        Template.parse(text)
    assert caught.value.where == "agent.template"


def test_a_template_that_shows_nothing_of_the_task_is_refused() -> None:
    with pytest.raises(ConfigError, match="names no field"):
        Template.parse("Answer me.")


@pytest.mark.parametrize("name", ["inptu", "input.__class__", "input[0]", "answer"])
def test_what_is_no_visible_field_is_refused_with_the_nearest(name: str) -> None:
    template = Template.parse(f"{{input}} {{{name}}}")
    with pytest.raises(ConfigError, match="no visible field") as caught:
        template.check(["input", "hint"])
    assert "input, hint" in caught.value.fix

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from evolith.config.toml_lines import lines_of

TEXT = '''# about
name = "news"

[tasks]
file = "a.jsonl"
split = { train = 4, val = 2 }


[artifact.files]
"prompt.md" = """
[budget]
tokens = 3
"""

[budget]
tokens = 5
[[parts]]
kind = "a"
[[parts]]
kind = "b"
'''


def test_each_key_has_the_line_of_its_statement() -> None:
    lines = lines_of(TEXT)
    assert lines["name",] == 2
    assert lines["tasks",] == 4
    assert lines["tasks", "file"] == 5
    assert lines["artifact", "files", "prompt.md"] == 10


def test_keys_inside_an_inline_table_have_the_line_of_the_table() -> None:
    assert lines_of(TEXT)["tasks", "split", "val"] == 6


def test_text_of_several_lines_is_not_taken_for_keys() -> None:
    assert lines_of(TEXT)["budget", "tokens"] == 16


def test_tables_of_an_array_are_told_apart() -> None:
    lines = lines_of(TEXT)
    assert (lines["parts", 0, "kind"], lines["parts", 1, "kind"]) == (18, 20)


def test_windows_line_ends_change_nothing() -> None:
    assert lines_of(TEXT.replace("\n", "\r\n")) == lines_of(TEXT)


@given(st.lists(st.sampled_from(["a = 1", "", "# x", 'b = """\n', '"""', "[t]", "c = [", "]"])))
def test_every_key_of_a_readable_file_has_a_line_of_it(parts: list[str]) -> None:
    text = "\n".join(parts)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    lines = lines_of(text)
    assert {(key,) for key in data} <= set(lines)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())

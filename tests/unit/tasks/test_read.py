"""Task files are read as they are meant."""

import csv
import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.tasks.config import Format
from evolith.tasks.read import Row, read_rows

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def read(raw: bytes, kind: Format | None = "jsonl", encoding: str = "utf-8") -> list[Row]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tasks"
        path.write_bytes(raw)
        return read_rows(path, kind, encoding)


@given(st.lists(st.dictionaries(TEXT, JSON, max_size=4), min_size=1))
def test_jsonl_is_read_back(rows: list[dict[str, object]]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    assert [row.values for row in read(text.encode())] == rows


@given(
    st.lists(TEXT.filter(str.strip), min_size=2, max_size=4, unique=True),
    st.data(),
)
def test_csv_is_read_back(names: list[str], data: st.DataObject) -> None:
    row = st.lists(TEXT, min_size=len(names), max_size=len(names))
    rows = data.draw(st.lists(row, min_size=1, max_size=5))
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([names, *rows])
    names = [name.removeprefix("\ufeff") if not place else name for place, name in enumerate(names)]
    expected = [dict(zip(names, values, strict=True)) for values in rows]
    assert [row.values for row in read(out.getvalue().encode(), "csv")] == expected


def test_lines_are_numbered_from_one_and_blank_ones_are_passed_over() -> None:
    rows = read(b'\n{"a": 1}\r\n\r\n   \n{"a": 2}')
    assert [(row.line, row.values["a"]) for row in rows] == [(2, 1), (5, 2)]


def test_a_csv_row_is_numbered_by_its_first_line() -> None:
    rows = read(b'a,b\n"1\n2",x\n\n3,y\n', "csv")
    assert [(row.line, row.values["a"]) for row in rows] == [(2, "1\n2"), (5, "3")]


def test_a_line_separator_inside_a_text_ends_no_line() -> None:
    assert [row.values for row in read('{"a": "x\u2028y\x85z"}'.encode())] == [
        {"a": "x\u2028y\x85z"}
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-8"])
def test_a_byte_order_mark_is_passed_over(encoding: str) -> None:
    text = '{"a": "é"}' if encoding != "utf-8" else '\ufeff{"a": "é"}'
    codec = "utf-8" if encoding == "utf-8-sig" else encoding
    assert [row.values for row in read(text.encode(encoding), encoding=codec)] == [{"a": "é"}]


def test_another_encoding_can_be_named() -> None:
    assert read('{"a": "é"}'.encode("cp1252"), encoding="cp1252")[0].values == {"a": "é"}


@pytest.mark.parametrize(
    ("name", "text"),
    [("t.jsonl", '{"a": "1"}'), ("t.ndjson", '{"a": "1"}'), ("T.CSV", "a\n1\n")],
)
def test_the_format_is_told_from_the_end_of_the_name(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert read_rows(tmp_path / name, None, "utf-8")[0].values == {"a": "1"}

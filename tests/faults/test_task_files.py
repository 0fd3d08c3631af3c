"""Bad task files: each gives one clear message with file, line and what to do."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evolith.errors import TasksError
from evolith.tasks.config import TasksConfig
from evolith.tasks.load import load_tasks

NOBODY = 65534
GOOD = "".join(f'{{"input": "question {n}", "answer": "x"}}\n' for n in range(4))


def refusal(folder: Path, **table: object) -> TasksError:
    with pytest.raises(TasksError) as caught:
        load_tasks(TasksConfig.model_validate(table), folder)
    assert caught.value.exit_code == 2
    return caught.value


@pytest.mark.parametrize(
    ("name", "raw", "line", "what", "cure"),
    [
        pytest.param("t.jsonl", b"", "", "the file is empty", "one task on each line", id="empty"),
        pytest.param("t.jsonl", b"\n \n", "", "the file is empty", "one task", id="blank"),
        pytest.param("t.csv", b"", "", "the file is empty", "one task", id="empty CSV"),
        pytest.param(
            "t.csv", b"input,answer\n", "", "a header and no rows", "one task", id="only a header"
        ),
        pytest.param(
            "t.jsonl",
            GOOD.encode("utf-16"),
            "",
            "encoded in UTF-16",
            'tasks.encoding = "utf-16"',
            id="UTF-16",
        ),
        pytest.param(
            "t.jsonl",
            GOOD.encode("utf-16-le"),
            ":1",
            "a NUL character",
            'tasks.encoding = "utf-16"',
            id="UTF-16 without mark",
        ),
        pytest.param(
            "t.jsonl",
            GOOD.encode() + '{"input": "caf\xe9"}'.encode("latin-1"),
            ":5",
            "byte 0xe9 is not UTF-8",
            'tasks.encoding = "cp1252"',
            id="Latin-1",
        ),
        pytest.param(
            "t.jsonl",
            b'{"input": "a"}\n{"input": "b",}\n',
            ":2",
            "this line is no JSON",
            "one JSON object on each line",
            id="no JSON",
        ),
        pytest.param(
            "t.jsonl", b'"text"\n', ":1", "no JSON object", '{"input": "2 + 2"', id="no object"
        ),
        pytest.param(
            "t.json",
            b'[\n {"input": "a"}\n]\n',
            ":1",
            "a JSON array, not one object on each line",
            "json.load(sys.stdin)",
            id="array on lines",
        ),
        pytest.param(
            "t.jsonl", b'[{"input": "a"}]', ":1", "a JSON array", "json.load", id="array on a line"
        ),
        pytest.param(
            "t.jsonl",
            b'{"input": "a", "answer": NaN}\n',
            ":1",
            "NaN is no JSON number",
            "replace the value",
            id="NaN",
        ),
        pytest.param(
            "t.jsonl", b'{"input": 1e999}', ":1", "1e999 is too large", "replace", id="infinity"
        ),
        pytest.param(
            "t.jsonl", b"[" * 100_000, ":1", "what JSON cannot", "replace", id="nested too deeply"
        ),
        pytest.param(
            "t.jsonl",
            b'{"input": "\\ud83d"}',
            ":1",
            "half of a surrogate pair",
            "the character itself",
            id="half a character",
        ),
        pytest.param(
            "t.jsonl",
            b'{"input": "a"}\n{"inptu": "b"}\n',
            ":2",
            "there is no field input",
            "did you mean inptu?",
            id="missing field",
        ),
        pytest.param(
            "t.jsonl",
            b'{"input": "a", "answer": "x"}\n{"input": "b"}\n',
            ":2",
            "there is no field answer",
            "use input",
            id="missing answer",
        ),
        pytest.param(
            "t.jsonl",
            b'{"id": "a", "input": "1"}\n{"id": "b", "input": "2"}\n{"id": "a", "input": "3"}\n',
            ":3",
            "the id 'a' is used already in {file}:1",
            "its own id",
            id="duplicate id",
        ),
        pytest.param(
            "t.csv",
            b"input,answer\na,b\nc,d,e\n",
            ":3",
            "this row has 3 values, the header 2 names",
            "between double quotes",
            id="ragged row",
        ),
        pytest.param(
            "t.csv",
            b'input,answer\na,"b\n',
            ":2",
            "this is no CSV",
            "double the quotes",
            id="open quote",
        ),
        pytest.param(
            "t.csv",
            b"input;answer\na;b\n",
            ":1",
            "separated by ';'",
            "with commas",
            id="semicolons",
        ),
        pytest.param(
            "t.csv", b"input,input\na,b\n", ":1", "two columns are named", "rename", id="same names"
        ),
        pytest.param("t.csv", b"input,\na,b\n", ":1", "column 2 has no name", "name it", id="gap"),
        pytest.param(
            "t.txt", GOOD.encode(), "", "whether it is JSONL or CSV", "tasks.format", id="ending"
        ),
        pytest.param(
            "t.jsonl",
            b'{"input": "a"}\n{"input": "b"}\n',
            "",
            "2 rows are too few",
            "add rows",
            id="two rows",
        ),
    ],
)
def test_a_bad_file_gives_one_clear_message(
    name: str, raw: bytes, line: str, what: str, cure: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(raw)
    error = refusal(tmp_path, file=name)
    assert error.where == f"{path}{line}"
    assert what.format(file=path) in error.message
    assert cure in error.fix
    assert len(str(error).splitlines()) == 2


def test_a_missing_file_is_refused_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text(GOOD)
    error = refusal(tmp_path, file="task.jsonl")
    assert "no such task file" in error.message
    assert "did you mean tasks.jsonl?" in error.fix


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").mkdir()
    assert "this is a folder" in refusal(tmp_path, file="tasks.jsonl").message


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(GOOD)
    path.chmod(0)
    with without_privileges():
        error = refusal(tmp_path, file="tasks.jsonl")
    assert "cannot be read (Permission denied)" in error.message


def test_a_split_larger_than_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text(GOOD)
    error = refusal(tmp_path, file="tasks.jsonl", split={"train": 3, "val": 2, "test": 1})
    assert "asks for 6 rows, and there are 4" in error.message


def test_a_split_field_that_is_missing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text(GOOD)
    error = refusal(tmp_path, file="tasks.jsonl", split_field="part")
    assert error.where.endswith("tasks.jsonl:1")
    assert "no field part" in error.message


@pytest.mark.parametrize("copy", ["question 2", " question\t2 "])
def test_a_test_split_that_overlaps_train_is_refused_with_both_lines(
    copy: str, tmp_path: Path
) -> None:
    train, val, test = (tmp_path / f"{name}.csv" for name in ("train", "val", "test"))
    train.write_text("input,answer\nquestion 1,a\nquestion 2,b\n")
    val.write_text("input,answer\nquestion 3,c\n")
    test.write_text(f"input,answer\nquestion 4,d\nquestion 5,e\n{copy},b\n")
    error = refusal(tmp_path, train="train.csv", val="val.csv", test="test.csv")
    assert error.where == f"{test}:4"
    assert error.message == (f"the test split overlaps train: the same input is in {train}:3")


def test_the_same_input_in_train_and_val_is_refused(tmp_path: Path) -> None:
    lines = ["input,answer,part", "q,a,train", "r,b,val", "q,a,val"]
    (tmp_path / "tasks.csv").write_text("\n".join(lines))
    error = refusal(tmp_path, file="tasks.csv", split_field="part")
    assert "the val split overlaps train" in error.message
    assert error.where.endswith("tasks.csv:4")


def test_the_same_id_in_two_files_is_refused_with_both_lines(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "input": "a"}\n')
    (tmp_path / "b.jsonl").write_text('{"id": 2, "input": "b"}\n{"id": 1, "input": "c"}\n')
    error = refusal(tmp_path, train="a.jsonl", val="b.jsonl")
    assert error.where.endswith("b.jsonl:2")
    assert error.message.endswith("a.jsonl:1")


@contextmanager
def without_privileges() -> Iterator[None]:
    """Be an ordinary user for a while, where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)

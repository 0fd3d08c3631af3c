"""Reads a task file into rows, each with the line it stands in."""

import codecs
from dataclasses import dataclass
from pathlib import Path

from evolith.core.task import Value
from evolith.errors import TasksError, did_you_mean
from evolith.tasks.config import Format
from evolith.tasks.csv_rows import csv_rows
from evolith.tasks.jsonl_rows import jsonl_rows

ENDINGS: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
}
"""The format by the end of a file's name."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a task file.

    Args:
        values: Its fields by name.
        file: The file, as messages name it.
        line: The line it begins in, from 1.
    """

    values: dict[str, Value]
    file: str
    line: int

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"


def read_rows(path: Path, file_format: Format | None, encoding: str) -> list[Row]:
    """Return the rows of a task file in their order; never none.

    Args:
        path: The file.
        file_format: How it is written; None to tell from its name.
        encoding: Its encoding. A byte order mark is passed over.

    Raises:
        TasksError: the file cannot be read, is encoded otherwise, or is empty; or a line is wrong.
    """
    file = str(path)
    text = _decode(_bytes(path), encoding, file)
    kind = file_format or ENDINGS.get(path.suffix.lower())
    if kind is None:
        raise TasksError(
            "the name of the file does not tell whether it is JSONL or CSV",
            where=file,
            fix='name it .jsonl or .csv, or set tasks.format to "jsonl" or "csv"',
        )
    if not text.strip():
        raise TasksError("the file is empty", where=file, fix="write one task on each line")
    pairs = csv_rows(text, file) if kind == "csv" else jsonl_rows(text, file)
    return [Row(values, file, line) for line, values in pairs]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        folder = path.parent
        names = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
        tasks = [name for name in names if Path(name).suffix.lower() in ENDINGS]
        raise TasksError(
            "there is no such task file", where=str(path), fix=did_you_mean(path.name, tasks)
        ) from None
    except IsADirectoryError:
        raise TasksError(
            "this is a folder, not a task file", where=str(path), fix="name the file in it"
        ) from None
    except OSError as error:
        raise TasksError(
            f"the task file cannot be read ({error.strerror})",
            where=str(path),
            fix="check the path and who may read it",
        ) from None


def _decode(raw: bytes, encoding: str, file: str) -> str:
    codec = codecs.lookup(encoding).name
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and codec[:6] not in (
        "utf-16",
        "utf-32",
    ):
        raise TasksError(
            "the file is encoded in UTF-16",
            where=file,
            fix='save it as UTF-8, or set tasks.encoding = "utf-16"',
        )
    try:
        text = raw.decode(codec).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise TasksError(
            f"byte 0x{raw[error.start]:02x} is not {encoding.upper()}",
            where=f"{file}:{line}",
            fix='save the file as UTF-8, or name its encoding, such as tasks.encoding = "cp1252"',
        ) from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise TasksError(
            "there is a NUL character, so this is no text or its encoding is another",
            where=f"{file}:{line}",
            fix='save the file as UTF-8, or name its encoding, such as tasks.encoding = "utf-16"',
        )
    return text

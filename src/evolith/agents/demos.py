"""Demonstrations: solved examples, one JSON object on each line of `demos.jsonl`."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from evolith.core.task import Value
from evolith.errors import ArtifactError, did_you_mean

PATH = "demos.jsonl"
"""Where an artifact keeps its demonstrations."""
KEYS = ("input", "output", "fields")


@dataclass(frozen=True, slots=True)
class Demo:
    """A task with a good output.

    Args:
        input: The input of the task.
        output: What the model should have said.
        fields: Further visible fields of the task, where a template names some.
    """

    input: str
    output: str
    fields: Mapping[str, Value] = field(default_factory=dict)


def read_demos(text: str) -> list[Demo]:
    """Return the demonstrations in the text of `demos.jsonl`; blank lines are passed over.

    Raises:
        ArtifactError: a line is no JSON object with the texts `input` and `output`.
    """
    return [
        _demo(line, f"{PATH}:{number}")
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]


def write_demos(demos: Iterable[Demo]) -> str:
    """Return the text of `demos.jsonl`; `read_demos` reads it back."""
    return "".join(f"{json.dumps(_row(demo), ensure_ascii=False)}\n" for demo in demos)


def _row(demo: Demo) -> dict[str, object]:
    row: dict[str, object] = {"input": demo.input, "output": demo.output}
    return {**row, "fields": dict(demo.fields)} if demo.fields else row


def _demo(line: str, place: str) -> Demo:
    try:
        row = json.loads(line)
        json.dumps(row, ensure_ascii=False).encode()  # half a surrogate pair cannot be sent
    except (ValueError, RecursionError) as error:
        raise ArtifactError(
            f"this line is no JSON ({error})",
            where=place,
            fix='write {"input": "...", "output": "..."} on one line',
        ) from None
    if not isinstance(row, dict):
        row = {}
    fields = row.get("fields", {})
    texts = (row.get("input"), row.get("output"))
    if not all(isinstance(text, str) for text in texts) or not isinstance(fields, dict):
        raise ArtifactError(
            "a demonstration is a JSON object with the texts input and output",
            where=place,
            fix='write {"input": "...", "output": "..."} on one line',
        )
    unknown = next((key for key in row if key not in KEYS), None)
    if unknown is not None:
        raise ArtifactError(
            f"a demonstration has no {unknown}", where=place, fix=did_you_mean(unknown, KEYS)
        )
    return Demo(row["input"], row["output"], fields)

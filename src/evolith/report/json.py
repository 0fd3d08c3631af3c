"""The report as JSON: the shape of `evolith.report.data`, field for field.

Money is a string, so that no digit is lost; shares and scores are numbers from 0 to 1; times are
seconds. `format` is raised whenever a field is renamed, removed or changes its meaning.
"""

from pydantic import JsonValue, TypeAdapter

from evolith.report.data import Report

_DICT: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


def to_json(report: Report) -> dict[str, JsonValue]:
    """Return a report as values that `json.dump` can write."""
    return _DICT.validate_python(TypeAdapter(Report).dump_python(report, mode="json"))

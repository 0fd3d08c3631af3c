"""What a session records of its settings: all that is in effect, and it can be read back."""

import time
from pathlib import Path

import anyio
import pytest

from evolith.archive.archive import Archive
from evolith.config import RunConfig
from evolith.core.events import SessionStarted
from evolith.core.ids import canonical_json
from evolith.core.messages import Role
from evolith.report.recorded import recorded
from evolith.session import load_settings
from evolith.session.setup import dump_settings
from evolith.testing.memory import MemoryStore

LEAST = {"tasks": {"file": "tasks.jsonl"}, "models": {"task": "openai:gpt-4o-mini"}}


def kinds(table: str, *names: str) -> list[dict[str, object]]:
    return [{table: {"kind": name}} for name in names]


TABLES: list[dict[str, object]] = [
    {},
    {"seed": 3, "name": "n"},
    {"tasks": {"file": "t.csv", "split_field": "part", "split_values": {"val": ["dev"]}}},
    {"tasks": {"train": "a.jsonl", "val": "b.jsonl"}},
    {"tasks": {"file": "t.jsonl", "split": {"train": 10, "val": 5}}},
    {"models": {"task": {"use": "openai:m", "base_url": "http://h/v1", "free": True}}},
    {"models": {"task": {"use": "openai:m", "price": {"tokens_in": 0.1, "tokens_out": 2}}}},
    {"models": {"task": "local:smollm2", "reflect": "openai:gpt-4o"}},
    {"artifact": {"path": "agent", "surface": ["a.md"]}},
    {"artifact": {"files": {"prompt.md": "é"}}},
    {"agent": {"kind": "function", "function": "m:f"}},
    {"run": {"schedule": "async"}},
    {"budget": {"tokens": 5}},
    {"budget": {"money": "0.10", "seconds": 1.5}},
    {"test": {"attempts": 3}},
    *kinds("algorithm", "gepa", "demos", "best_of_n"),
    {"algorithm": {"kind": "demos", "operators": {"demos": 1, "reflect": 0.5}, "proposals": 3}},
    *kinds("scorer", "exact", "choice", "contains", "regex", "numeric", "f1", "json"),
    {"scorer": {"kind": "regex", "pattern": "a(b)"}},
    {"scorer": {"kind": "fields", "fields": {"a": 2}}},
    {"scorer": {"kind": "function", "function": "m:f"}},
    {"scorer": {"kind": "command", "command": ["sh", "x"]}},
    {"scorer": {"kind": "judge", "rubric": "Good?", "reveal_answer": True}},
]


def archive_of(settings: str) -> Archive:
    archive = Archive(MemoryStore(), time.time)
    started = SessionStarted(number=1, version="0", settings=settings, fingerprint="")
    anyio.run(archive.append, started)
    return archive


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_recorded_settings_are_read_back_as_they_were(
    table: dict[str, object], tmp_path: Path
) -> None:
    config = RunConfig.model_validate({**LEAST, **table, "base": tmp_path})
    run_dir = tmp_path / "runs" / "one"
    again = load_settings(archive_of(dump_settings(config, run_dir)), run_dir)
    assert again == config
    assert again.tasks.model_fields_set == config.tasks.model_fields_set


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_report_reads_what_was_in_effect_also_where_nothing_was_set(
    table: dict[str, object], tmp_path: Path
) -> None:
    config = RunConfig.model_validate({**LEAST, **table, "base": tmp_path})
    read = recorded(archive_of(dump_settings(config, tmp_path / "run")).state)
    beside = f", {config.run.in_flight} in flight" if config.run.schedule == "async" else ""
    assert (read.algorithm.kind, read.schedule, read.seed, read.limits) == (
        config.algorithm.kind,
        f"{config.run.schedule}{beside}",
        config.seed,
        config.budget.budget(),
    )


def test_a_key_that_was_not_named_is_not_named_after_a_resume(tmp_path: Path) -> None:
    config = RunConfig.model_validate({**LEAST, "base": tmp_path})
    again = load_settings(archive_of(dump_settings(config, tmp_path)), tmp_path)
    assert again.models.of(Role.TASK).model_fields_set == {"use"}


def test_settings_of_an_older_run_are_read(tmp_path: Path) -> None:
    old = canonical_json({**LEAST, "base": str(tmp_path), "budget": {"rollouts": 5}})
    config = load_settings(archive_of(old), tmp_path / "run")
    assert (config.base, config.budget.rollouts) == (tmp_path, 5)

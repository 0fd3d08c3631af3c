import json
from pathlib import Path

import pytest

from evolith.config import load_config
from evolith.config.content import content, same_content

GOOD = """\
[tasks]
file = "tasks.jsonl"
[models]
task = { use = "openai:a", price = { tokens_in = 1, tokens_out = 2 } }
[artifact.files]
"prompt.md" = "Answer."
[run]
workers = 4
[budget]
tokens = 5
"""


def contents(folder: Path, text: str) -> str:
    folder.mkdir()
    (folder / "evolith.toml").write_text(text, encoding="utf-8")
    return content(load_config(folder / "evolith.toml"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("workers = 4", "workers = 9"),
        ("tokens = 5", "rollouts = 7"),
        ("tokens_out = 2", "tokens_out = 3"),
        ('"openai:a"', '"openai:a", base_url = "http://127.0.0.1:9/v1", api_key_env = "KEY"'),
        ("tasks.jsonl", "elsewhere/rows.jsonl"),
        ("# nothing", "# a comment"),
    ],
)
def test_what_no_result_depends_on_changes_nothing(tmp_path: Path, before: str, after: str) -> None:
    text = f"{GOOD}# nothing\n"
    assert before in text
    changed = contents(tmp_path / "b", text.replace(before, after))
    assert changed == contents(tmp_path / "a", text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("openai:a", "openai:b"),
        ("Answer.", "Answer!"),
        ("[run]", '[scorer]\nkind = "contains"\n[run]'),
        ("workers = 4", 'schedule = "async"'),
        ("[tasks]", "seed = 1\n[tasks]"),
    ],
)
def test_what_results_depend_on_is_in_it(tmp_path: Path, before: str, after: str) -> None:
    assert before in GOOD
    changed = contents(tmp_path / "b", GOOD.replace(before, after))
    assert changed != contents(tmp_path / "a", GOOD)


def test_the_content_of_an_older_run_may_hold_names_and_addresses(tmp_path: Path) -> None:
    now = contents(tmp_path / "a", GOOD)
    older = json.loads(now)
    older["tasks"]["file"] = "tasks.jsonl"
    older["models"]["task"]["base_url"] = None
    assert same_content(json.dumps(older), now)
    older["models"]["task"]["use"] = "openai:b"
    assert not same_content(json.dumps(older), now)

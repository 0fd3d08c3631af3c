"""What goes wrong at the hands of a user: one clear message, what to do, the documented exit code,
no traceback, and nothing lost.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from evolith.archive.reading import reading
from evolith.testing.fault_server import Reply, body, serving, status

Cli = Callable[..., tuple[int, str, str]]
Spoil = Callable[[Path], object]
CONFIG = "evolith.toml"


def unwrapped(message: str) -> str:
    """Return what was said as if it had found room in its lines."""
    return re.sub(r"\n  (?=  |[a-z0-9])", " ", message)


def config(old: str, new: str) -> Spoil:
    """Change the config."""

    def spoil(project: Path) -> None:
        text = (project / CONFIG).read_text()
        assert old in text
        (project / CONFIG).write_text(text.replace(old, new))

    return spoil


def table(text: str) -> Spoil:
    """Add a table to the config."""
    return lambda project: (project / CONFIG).write_text((project / CONFIG).read_text() + text)


def tasks(data: str | bytes) -> Spoil:
    """Write other tasks."""
    raw = data if isinstance(data, bytes) else data.encode()
    return lambda project: (project / "tasks.jsonl").write_bytes(raw)


def scorer(body: str) -> Spoil:
    """Judge by a function of one's own."""

    def spoil(project: Path) -> None:
        (project / "judging.py").write_text(f"def grade(task, trajectory):\n    {body}\n")
        table('\n[scorer]\nkind = "function"\nfunction = "judging:grade"\n')(project)

    return spoil


ROWS = [json.dumps({"id": f"t{n}", "input": f"cup {n}", "answer": "top"}) for n in range(30)]

BEFORE_A_RUN: dict[str, tuple[Spoil, str]] = {
    "no config": (lambda p: (p / CONFIG).unlink(), r"there is no such config file"),
    "empty config": (lambda p: (p / CONFIG).write_text(""), r"the config file is empty"),
    "broken TOML": (config('name = "shelves"', "name = shelves"), r"evolith\.toml:1"),
    "config in UTF-16": (
        lambda p: (p / CONFIG).write_bytes((p / CONFIG).read_text().encode("utf-16")),
        r"not UTF-8",
    ),
    "unknown table": (table("\n[buget]\nrollouts = 5\n"), r"(?i)did you mean.*budget"),
    "unknown key": (table("\n[budget]\nrolouts = 5\n"), r"(?i)did you mean.*rollouts"),
    "wrong type": (table('\n[budget]\nrollouts = "many"\n'), r"budget\.rollouts"),
    "negative budget": (table("\n[budget]\ntokens = -1\n"), r"budget\.tokens"),
    "unknown algorithm": (config('kind = "gepa"', 'kind = "gappa"'), r"gepa"),
    "unknown model": (config("function:world:answer", "opnai:gpt-4o"), r"opnai:gpt-4o"),
    "model without a price": (
        config("function:world:answer", "openai:no-such-model"),
        r"price .*free = true",
    ),
    "model function that is not there": (
        config("function:world:answer", "function:world:anser"),
        r"(?is)there is no anser.*did you mean.*answer",
    ),
    "nothing to demonstrate on": (
        config(
            "proposals = 8", 'proposals = 8\noperators = { demos = 1 }\ndemos = { path = "x/y" }'
        ),
        r"x/y",
    ),
    "a minibatch that leaves nothing to demonstrate": (
        config('kind = "gepa"\nproposals = 8\nmerge = { most = 0 }', 'kind = "demos"'),
        r"algorithm\.minibatch: a minibatch of 16 leaves none of the 10",
    ),
    "no task file": (lambda p: (p / "tasks.jsonl").unlink(), r"tasks\.jsonl"),
    "empty task file": (tasks(""), r"(?i)empty|no rows|no tasks"),
    "tasks in UTF-16": (tasks("\n".join(ROWS).encode("utf-16")), r"(?i)utf-16"),
    "tasks in Latin-1": (tasks("\n".join([*ROWS, '{"input": "é"}']).encode("latin-1")), r":31"),
    "a line that is no JSON": (tasks("\n".join([*ROWS, "{oops"])), r"tasks\.jsonl:31"),
    "a line without its input": (tasks("\n".join([*ROWS, '{"inptu": "x"}'])), r":31(.|\n)*inptu"),
    "duplicate ids": (tasks("\n".join([*ROWS, ROWS[2]])), r":31(.|\n)*\b3\b"),
    "ids that are the answers": (
        config('file = "tasks.jsonl"', 'file = "tasks.jsonl"\nid = "answer"'),
        r"would see the field answer",
    ),
    "too few rows": (tasks("\n".join(ROWS[:5])), r"\b5\b"),
    "a JSON array": (tasks(f"[{','.join(ROWS)}]"), r"tasks\.jsonl"),
    "a scorer that is not there": (
        table('\n[scorer]\nkind = "function"\nfunction = "judging:grade"\n'),
        r"judging",
    ),
    "a scorer with a syntax error": (scorer("return (("), r"judging\.py"),
    "a test split that overlaps train": (
        lambda p: [
            (p / "a.jsonl").write_text("\n".join(ROWS[:10])),
            (p / "b.jsonl").write_text("\n".join(ROWS[9:20])),
            (p / "tasks.jsonl").write_text("\n".join(ROWS[20:])),
            config(
                'file = "tasks.jsonl"\nsplit = { train = 10, val = 10, test = 10 }',
                'train = "a.jsonl"\nval = "tasks.jsonl"\ntest = "b.jsonl"',
            )(p),
        ],
        r"(?s)a\.jsonl.*b\.jsonl|b\.jsonl.*a\.jsonl",
    ),
}


@pytest.mark.parametrize("name", BEFORE_A_RUN)
def test_a_mistake_is_told_before_anything_is_started(
    evolith: Cli, project: Path, name: str
) -> None:
    spoil, expected = BEFORE_A_RUN[name]
    spoil(project)
    code, _, err = evolith("run", CONFIG, "--run-dir", "run")
    assert code == 2, err
    assert re.search(expected, unwrapped(err)), err
    assert len(err.strip().splitlines()) >= 2  # what happened, and what to do
    assert not (project / "run").exists()


def test_the_same_run_folder_twice_is_refused(evolith: Cli) -> None:
    assert evolith("run", CONFIG, "--run-dir", "run")[0] == 0
    code, _, err = evolith("run", CONFIG, "--run-dir", "run")
    assert code in (2, 3)
    assert "run" in err


VERBS = ["resume", "status", "report", "show", "verify", "replay", "export", "compare"]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("there", [False, True])
def test_a_folder_that_is_no_run_is_a_wrong_call_of_every_command(
    evolith: Cli, project: Path, verb: str, *, there: bool
) -> None:
    if there:
        (project / "nowhere").mkdir()
    more = {"export": ["--json", "-"], "compare": ["nowhere"]}.get(verb, [])
    code, out, err = evolith(verb, "nowhere", *more)
    assert (code, out) == (2, "")
    assert err.startswith("nowhere: there is no ")
    assert "Name the folder of a run." in err


SCORERS = {
    "raises": ("raise ValueError('boom')", "boom"),
    "returns NaN": ("return float('nan')", "nan"),
    "returns nothing": ("return None", "None"),
    "returns too much": ("return 7", "7"),
}


@pytest.mark.parametrize("name", SCORERS)
def test_a_scorer_that_fails_is_named_and_the_run_goes_on_once_it_is_mended(
    evolith: Cli, project: Path, begin: Callable[..., object], name: str
) -> None:
    body, said = SCORERS[name]
    scorer(body)(project)
    code, _, err = evolith("run", CONFIG, "--run-dir", "run")
    assert code == 6, err
    assert "judging:grade" in err or "judging.py" in err or "scorer" in err
    assert said in err
    assert err.endswith("  Then go on with: evolith resume run\n")
    (project / "judging.py").write_text(
        "def grade(task, trajectory):\n    return trajectory.output == task.answer\n"
    )
    process = begin(project, "resume", "run")  # a new process, since Python keeps what it imported
    _, err = process.communicate(timeout=100)  # type: ignore[attr-defined]
    assert process.returncode == 0, err  # type: ignore[attr-defined]


def test_a_scorer_that_begins_to_fail_in_the_middle_of_a_run_has_an_exit_code_of_its_own(
    evolith: Cli, project: Path
) -> None:
    scorer(
        "global calls\n    calls = globals().get('calls', 0) + 1\n"
        "    assert calls <= 25, 'it broke.'\n    return trajectory.output == task.answer"
    )(project)
    code, _, err = evolith("run", CONFIG, "--run-dir", "run")
    assert code == 6
    assert "it broke.\n" in err
    assert ".." not in err
    assert err.endswith("  Then go on with: evolith resume run\n")
    assert evolith("status", "run")[0] == 0


SERVERS = {
    "401": (status(401, "Incorrect API key provided"), 4, "key"),
    "no quota": (
        status(429, "You exceeded your quota", error_code="insufficient_quota"),
        4,
        "quota",
    ),
    "unknown model": (status(404, "The model does not exist"), 4, "model"),
    "HTML instead of JSON": (Reply(b"<html>Welcome</html>"), 4, "web page"),
    "an empty object": (body({}), 4, "rollouts in a row failed"),
}


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_that_cannot_be_used_ends_the_run_with_its_own_exit_code(
    evolith: Cli, project: Path, name: str
) -> None:
    reply, code, said = SERVERS[name]
    with serving(reply) as server:
        use = f'{{ use = "openai:m", base_url = "{server.url}", free = true, retries = 0 }}'
        config('"function:world:answer"', use)(project)
        found, _, err = evolith("run", CONFIG, "--run-dir", "run")
    assert found == code, err
    assert re.search(said, unwrapped(err), re.IGNORECASE), err
    assert err.endswith("  Then go on with: evolith resume run\n")
    assert evolith("status", "run")[0] == 0


def test_a_dead_server_ends_the_run_soon(evolith: Cli, project: Path) -> None:
    use = '{ use = "openai:m", base_url = "http://127.0.0.1:9/v1", free = true, retries = 0 }'
    config('"function:world:answer"', use)(project)
    code, _, err = evolith("run", CONFIG, "--run-dir", "run")
    assert code == 4
    assert "127.0.0.1:9" in err


def test_a_folder_that_cannot_be_written_is_named(evolith: Cli, project: Path) -> None:
    (project / "file").write_text("in the way")
    code, _, err = evolith("run", CONFIG, "--run-dir", "file/run")
    assert code == 3
    assert "file" in err


def test_a_disk_that_is_full_stops_the_run_and_loses_nothing(project: Path) -> None:
    # A limit on the size of files gives the same error as a full disk, and needs no rights.
    script = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))\n"
        "from evolith.cli.main import main\n"
        f"sys.exit(main(['run', '{CONFIG}', '--run-dir', 'run']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=project, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    with reading(project / "run") as archive:
        kept = archive.state.rollouts_done
    assert kept > 0
    done = subprocess.run(
        [sys.executable, "-m", "evolith", "resume", "run"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ},
    )
    assert done.returncode == 0, done.stderr

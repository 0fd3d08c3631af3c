"""The command line as a user sees it, on runs that come to their end."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., tuple[int, str, str]]
RUN = "runs/shelves-1"


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def champion_files(read: Cli) -> dict[str, str]:
    _, out, _ = read("export", RUN, "--json", "-")
    files = json.loads(out)["files"]
    assert isinstance(files, dict)
    return files


def test_a_run_says_where_it_is_what_it_does_and_what_came_of_it(evolith: Cli) -> None:
    code, out, err = evolith("run", "evolith.toml")
    assert code == 0
    assert out.startswith(f"Run: {RUN}\n")
    assert "Sealed test" in out
    assert f"evolith export {RUN} --to champion" in out
    assert "proposals" in err
    assert " accepted: " in err
    assert max(map(len, out.splitlines())) <= 80


def test_a_run_goes_on_when_nobody_reads_its_progress(
    project: Path, begin: Callable[..., subprocess.Popen[str]]
) -> None:
    process = begin(project, "run", "evolith.toml")
    assert process.stderr is not None
    process.stderr.close()
    process.stderr = None
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Sealed test" in out


def test_a_run_goes_on_when_its_progress_finds_no_room(project: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "evolith", "run", "evolith.toml"],
            cwd=project,
            stdout=subprocess.PIPE,
            stderr=full,
            check=False,
        )
    assert done.returncode == 0
    assert b"Sealed test" in done.stdout


def test_a_reader_that_has_seen_enough_is_no_error(
    finished: Path, begin: Callable[..., subprocess.Popen[str]]
) -> None:
    process = begin(finished, "report", RUN)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")


def test_each_run_of_a_config_has_a_folder_of_its_own(evolith: Cli, project: Path) -> None:
    evolith("run", "evolith.toml")
    _, out, _ = evolith("run", "evolith.toml", "--seed", "1")
    assert out.startswith("Run: runs/shelves-2\n")
    assert sorted(path.name for path in (project / "runs").iterdir()) == ["shelves-1", "shelves-2"]
    code, out, _ = evolith("compare", "runs/shelves-1", "runs/shelves-2")
    assert code == 0
    assert "seed" in out


def test_a_folder_that_holds_something_is_not_run_in(evolith: Cli, project: Path) -> None:
    code, _, err = evolith("run", "evolith.toml", "--run-dir", ".")
    assert code == 2
    assert "not empty" in err
    assert (project / "evolith.toml").exists()


def test_options_take_the_place_of_the_config(evolith: Cli) -> None:
    code, out, _ = evolith(
        "run", "evolith.toml", "--schedule", "async", "--in-flight", "3", "--run-dir", "here"
    )
    assert (code, out.partition("\n")[0]) == (0, "Run: here")
    assert "async, 3 in flight" in evolith("report", "here")[1]


def test_a_run_that_cannot_begin_leaves_nothing_behind(evolith: Cli, project: Path) -> None:
    (project / "tasks.jsonl").unlink()
    code, _, err = evolith("run", "evolith.toml")
    assert code == 2
    assert "tasks.jsonl" in err
    assert not (project / "runs").exists()


def test_a_budget_stops_the_run_inside_it_and_more_of_it_goes_on(evolith: Cli) -> None:
    code, _, err = evolith("run", "evolith.toml", "--rollouts", "15")
    assert code == 5
    assert f"evolith resume {RUN}" in err
    assert json.loads(evolith("report", RUN, "--json")[1])["cost"]["total"]["rollouts"] <= 15
    code, out, _ = evolith("resume", RUN, "--rollouts", "1000")
    assert code == 0
    assert "Sealed test" in out


def test_status_says_where_a_run_stands(read: Cli) -> None:
    code, out, _ = read("status", RUN)
    assert code == 0
    assert "shelves" in out
    assert "finished" in out


def test_a_report_is_text_json_markdown_or_one_html_file(read: Cli, tmp_path: Path) -> None:
    assert "Sealed test" in read("report", RUN)[1]
    data = json.loads(read("report", RUN, "--json")[1])
    assert data["test"]["champion"]["avg"]["value"] > data["test"]["seed"]["avg"]["value"]
    assert read("report", RUN, "--md")[1].startswith("# shelves\n")
    page = tmp_path / "report.html"
    assert read("report", RUN, "--html", str(page))[0] == 0
    text = page.read_text(encoding="utf-8")
    assert "<svg" in text
    assert "http://" not in text.replace("http://www.w3.org", "")
    code, _, err = read("report", RUN, "--html", str(page))
    assert code == 2
    assert "--force" in err
    assert read("report", RUN, "--html", str(page), "--force")[0] == 0


def test_a_report_has_one_form_at_a_time(read: Cli) -> None:
    code, _, err = read("report", RUN, "--json", "--md")
    assert code == 2
    assert "one form" in err


def test_show_says_what_a_candidate_changes_and_why(read: Cli) -> None:
    code, out, _ = read("show", RUN)
    assert code == 0
    assert "+" in out
    assert read("show", RUN, "seed")[0] == 0
    code, _, err = read("show", RUN, "nobody")
    assert code == 2
    assert "no candidate" in err


def test_an_exported_patch_makes_the_champion_of_the_seed(read: Cli, tmp_path: Path) -> None:
    (tmp_path / "prompt.md").write_text("Say on which shelf it belongs.\n", encoding="utf-8")
    git(tmp_path, "init")
    code, out, _ = read("export", RUN, "--patch", str(tmp_path / "change.patch"))
    assert code == 0
    assert "git apply" in out
    git(tmp_path, "apply", "change.patch")
    assert (tmp_path / "prompt.md").read_text(encoding="utf-8") == champion_files(read)["prompt.md"]


def test_the_patch_of_a_folder_comes_with_the_command_that_applies_it(
    evolith: Cli, project: Path
) -> None:
    git(project, "init")
    config = (project / "evolith.toml").read_text(encoding="utf-8")
    inline = '[artifact.files]\n"prompt.md" = "Say on which shelf it belongs.\\n"\n'
    (project / "evolith.toml").write_text(
        config.replace(inline, '[artifact]\npath = "my agent"\n'), encoding="utf-8"
    )
    (project / "my agent").mkdir()
    (project / "my agent" / "prompt.md").write_text("Say where.\n", encoding="utf-8")
    assert evolith("run", "evolith.toml")[0] == 0
    _, out, _ = evolith("export", RUN, "--patch", "change.patch")
    command = out.splitlines()[-1].removeprefix("Apply it with: ")
    subprocess.run(command, shell=True, check=True, cwd="/")
    files = json.loads(evolith("export", RUN, "--json", "-")[1])["files"]
    assert (project / "my agent" / "prompt.md").read_text(encoding="utf-8") == files["prompt.md"]


def test_an_exported_folder_holds_the_champion(read: Cli, tmp_path: Path) -> None:
    target = tmp_path / "champion"
    assert read("export", RUN, "--to", str(target))[0] == 0
    (target / "mine.txt").write_text("mine", encoding="utf-8")
    assert read("export", RUN, "seed", "--to", str(target))[0] == 2
    written = {p.name: p.read_text(encoding="utf-8") for p in target.iterdir()}
    assert written == {**champion_files(read), "mine.txt": "mine"}
    code, out, _ = read("export", RUN, "seed", "--to", str(target), "--force")
    assert code == 0
    assert "mine.txt" in out


@pytest.mark.parametrize("targets", [(), ("--to", "a", "--json", "b")])
def test_an_export_has_one_target(read: Cli, targets: tuple[str, ...]) -> None:
    code, _, err = read("export", RUN, *targets)
    assert code == 2
    assert "give one of" in err.lower()


def test_the_seed_has_no_patch(read: Cli) -> None:
    code, _, err = read("export", RUN, "seed", "--patch", "-")
    assert code == 2
    assert "same as the seed" in err


def test_verify_finds_a_whole_archive_and_a_damaged_one(
    read: Cli, finished: Path, tmp_path: Path
) -> None:
    assert read("verify", RUN)[:2] == (0, f"The archive of {RUN} is whole.\n")
    copy = tmp_path / "copy"
    shutil.copytree(finished / RUN, copy)
    for path in copy.rglob("*"):
        if path.is_file() and path.read_bytes().startswith(b"SQLite"):
            raw = bytearray(path.read_bytes())
            raw[len(raw) // 2 : len(raw) // 2 + 64] = b"\xff" * 64
            path.write_bytes(raw)
    code, out, _ = read("verify", str(copy))
    assert code == 3
    assert f" in {copy}." in out


def test_a_replay_makes_no_call_and_gives_the_same_archive(read: Cli) -> None:
    code, out, _ = read("replay", RUN)
    assert code == 0
    assert "calls to models:  0\n" in out
    assert "The run is the same." in out

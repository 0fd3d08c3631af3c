"""The user's own program judges; it cannot hang the run or leave anything behind."""

import fcntl
import json
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from evolith.core.rollout import Trajectory
from evolith.core.score import Score
from evolith.core.task import Task
from evolith.errors import ConfigError, EvolithError
from evolith.scorers.command import Command, CommandConfig
from evolith.testing.recording_chat import RecordingChat

TASK = Task("t1", "Capital?", fields={"n": 1}, answer="Paris", hidden={"test": "x == 1"})
Program = Callable[..., Command]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Make a scorer of the text of a Python program."""

    def made(text: str, **settings: object) -> Command:
        (tmp_path / "grade.py").write_text(f"import json, os, sys, time\n{text}\n")
        table = {"command": [sys.executable, "grade.py", str(tmp_path)], **settings}
        return Command(CommandConfig.model_validate(table), tmp_path)

    return made


async def score(scorer: Command, output: str = "Rome") -> Score:
    return await scorer.score(TASK, Trajectory(output), RecordingChat())


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("0.5", Score(0.5, passed=False)),
        ("true", Score(1, passed=True)),
        ('{"score": 0.2, "feedback": "short"}', Score(0.2, passed=False, feedback="short")),
    ],
)
async def test_a_number_or_an_object_is_read(
    printed: str, expected: Score, program: Program
) -> None:
    assert await score(program(f"print({printed!r})")) == expected


@pytest.mark.anyio
async def test_the_program_gets_the_task_and_the_output_in_an_empty_folder(
    program: Program, tmp_path: Path
) -> None:
    text = "given = json.load(sys.stdin); given['folder'] = os.listdir()\n"
    text += "json.dump(given, open(sys.argv[1] + '/given.json', 'w')); print(1)"
    await score(program(text), output="Lyon é")
    assert json.loads((tmp_path / "given.json").read_text()) == {
        "id": "t1",
        "input": "Capital?",
        "fields": {"n": 1},
        "answer": "Paris",
        "hidden": {"test": "x == 1"},
        "output": "Lyon é",
        "folder": [],
    }


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sys.exit(3)", "ended with code 3: it printed no error"),
        ("raise ValueError('broken')", "ValueError: broken"),
        ("print('right')", "printed 'right', which is neither a number nor JSON"),
        ("pass", "printed ''"),
        ("print('null')", "returned nothing"),
        ("print('NaN')", "not nan"),
        ("print(2)", "not 2.0"),
        ("os.kill(os.getpid(), 9)", "ended with code -9"),
        ("sys.stdout.write('x' * 3_000_000)", "neither a number nor JSON"),
    ],
)
async def test_what_is_no_score_is_a_failure_that_says_so(
    text: str, said: str, program: Program
) -> None:
    with pytest.raises(EvolithError) as caught:
        await score(program(text))
    assert said in caught.value.message
    assert len(caught.value.message) < 500


@pytest.mark.anyio
async def test_the_answer_is_taken_out_of_feedback_and_errors(program: Program) -> None:
    text = "answer = json.load(sys.stdin)['answer']\n"
    feedback = f"{text}print(json.dumps({{'score': 0, 'feedback': f'not {{answer}}'}}))"
    assert (await score(program(feedback))).feedback == "not [hidden answer]"
    assert (await score(program(feedback, reveal_answer=True))).feedback == "not Paris"
    with pytest.raises(EvolithError) as caught:
        await score(program(f"{text}sys.exit(answer)"))
    assert "Paris" not in str(caught.value)


HOLDS_A_LOCK = """
import fcntl, subprocess
child = '''
import fcntl, sys, time
lock = open(sys.argv[1], "w"); fcntl.flock(lock, fcntl.LOCK_EX); print("locked", flush=True)
time.sleep(1000)
'''
argv = [sys.executable, "-c", child, sys.argv[1] + "/lock"]
started = subprocess.Popen(argv, stdout=subprocess.PIPE)
started.stdout.readline()
"""


async def lock_is_free(path: Path) -> bool:
    """Wait for the kernel to let go of what a killed process held."""
    for _ in range(100):
        try:
            with path.open("w") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            await anyio.sleep(0.05)
        else:
            return True
    return False


@pytest.mark.anyio
async def test_what_the_program_leaves_running_is_ended(program: Program, tmp_path: Path) -> None:
    assert (await score(program(f"{HOLDS_A_LOCK}print(1)"))).passed
    assert await lock_is_free(tmp_path / "lock")


@pytest.mark.anyio
async def test_a_program_that_hangs_is_ended_with_all_it_started(
    program: Program, tmp_path: Path
) -> None:
    with pytest.raises(EvolithError, match="longer than 1 seconds"):
        await score(program(f"{HOLDS_A_LOCK}time.sleep(1000)", timeout=1))
    assert await lock_is_free(tmp_path / "lock")


@pytest.mark.anyio
async def test_a_cancelled_judgement_ends_the_program(program: Program, tmp_path: Path) -> None:
    scorer = program(f"{HOLDS_A_LOCK}open(sys.argv[1] + '/up', 'w').close(); time.sleep(1000)")
    async with anyio.create_task_group() as group:
        group.start_soon(score, scorer)
        while not (tmp_path / "up").exists():  # noqa: ASYNC110 - another process makes it
            await anyio.sleep(0.01)
        group.cancel_scope.cancel()
    assert await lock_is_free(tmp_path / "lock")


def test_a_missing_program_is_refused_before_the_run(tmp_path: Path) -> None:
    config = CommandConfig(command=("no-such-program-here",))
    with pytest.raises(ConfigError, match="no program no-such-program-here"):
        Command(config, tmp_path)


def test_a_file_that_cannot_be_executed_is_refused_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "grade.sh").write_text("#!/bin/sh\necho 1\n")
    with pytest.raises(ConfigError) as caught:
        Command(CommandConfig(command=("grade.sh",)), tmp_path)
    assert "chmod +x" in caught.value.fix

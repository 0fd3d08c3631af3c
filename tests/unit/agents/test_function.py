"""The user's own function is the agent, sync or async, with a model that is metered."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from evolith.agents.function import FunctionAgent, FunctionAgentConfig
from evolith.core.artifact import Artifact
from evolith.core.messages import Message, Request, Response
from evolith.core.rollout import Trajectory
from evolith.core.task import Task
from evolith.errors import BudgetExceeded, EvolithError, TransientFailure
from evolith.plugins import load_callable
from evolith.testing.recording_chat import RecordingChat

TASK = Task("t1", "2 + 2", fields={"steps": [1]}, answer="4", hidden={"proof": "p"})
ARTIFACT = Artifact.of({"prompt.md": "Add."})
Make = Callable[..., FunctionAgent]


@pytest.fixture
def agent(tmp_path: Path) -> Make:
    """Make an agent of the text of a file that defines `solve`."""

    def made(text: str, **settings: object) -> FunctionAgent:
        (tmp_path / "pipeline.py").write_text(text)
        config = FunctionAgentConfig.model_validate({"function": "pipeline:solve", **settings})
        return FunctionAgent(config, load_callable(config.function, tmp_path))

    return made


def plain(body: str) -> str:
    return f"def solve(components, task, chat):\n    {body}\n"


def coroutine(body: str) -> str:
    return f"async def solve(components, task, chat):\n    {body}\n"


async def run(maker: FunctionAgent, chat: RecordingChat | None = None) -> Trajectory:
    return await maker.run(ARTIFACT, TASK, chat or RecordingChat("4"))


BODY = "return {} chat(components['prompt.md'] + ' ' + task.input, max_tokens=5)"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "text", [plain(BODY.format("")), coroutine(BODY.format("await"))], ids=["sync", "async"]
)
async def test_the_function_gets_components_task_and_model(text: str, agent: Make) -> None:
    chat = RecordingChat("4")
    trajectory = await run(agent(text, max_tokens=100, temperature=0.5), chat)
    asked = Message("user", "Add. 2 + 2")
    assert chat.requests == [Request((asked,), max_tokens=5, temperature=0.5)]
    assert trajectory == Trajectory("4", (asked, Message("assistant", "4")))


@pytest.mark.anyio
async def test_turns_and_options_can_be_given(agent: Make) -> None:
    chat = RecordingChat()
    turns = "[{'role': 'system', 'content': 'S'}, {'role': 'user', 'content': 'U'}]"
    options = "temperature=1, stop=['x'], choices=['a'], json_schema={'type': 'object'}"
    await run(agent(plain(f"return chat({turns}, {options})")), chat)
    messages = (Message("system", "S"), Message("user", "U"))
    assert chat.requests == [Request(messages, 1024, 1, None, ("x",), ("a",), {"type": "object"})]


@pytest.mark.anyio
async def test_a_trajectory_is_taken_as_it_is(agent: Make) -> None:
    text = "from evolith.core.rollout import Trajectory\n" + plain("return Trajectory('mine')")
    assert await run(agent(text)) == Trajectory("mine")


@pytest.mark.anyio
async def test_a_talk_that_goes_on_is_not_repeated_in_the_trajectory(agent: Make) -> None:
    text = coroutine(
        "turns = [{'role': 'user', 'content': 'a'}]; said = await chat(turns);"
        " turns += [{'role': 'assistant', 'content': said}, {'role': 'user', 'content': 'b'}];"
        " await chat(turns); return await chat('another')"
    )
    trajectory = await run(agent(text), RecordingChat("r"))
    assert [turn.content for turn in trajectory.turns] == ["a", "r", "b", "r", "another", "r"]


@pytest.mark.anyio
async def test_a_function_may_call_the_model_from_threads_of_its_own(agent: Make) -> None:
    text = "from concurrent.futures import ThreadPoolExecutor\n" + plain(
        "with ThreadPoolExecutor() as pool: return ' '.join(pool.map(chat, ['a', 'b']))"
    )
    assert (await run(agent(text), RecordingChat("r"))).output == "r r"


@pytest.mark.anyio
async def test_plain_functions_run_side_by_side(agent: Make) -> None:
    count = 60  # more than the threads that anyio allows by default
    together = anyio.Event()
    waiting = 0

    async def chat(request: Request) -> Response:
        nonlocal waiting
        waiting += 1
        if waiting == count:
            together.set()
        await together.wait()
        return Response("r", request.max_tokens, 1)

    maker = agent(plain("return chat('a')"))
    async with anyio.create_task_group() as group:
        for _ in range(count):
            group.start_soon(maker.run, ARTIFACT, TASK, chat)
    assert waiting == count


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 4", "the agent returned a value of type int"),
        ("pass", "the agent returned a value of type NoneType"),
        ("return task.no_such", "solve raised AttributeError"),
        ("return chat([])", "the list of turns is empty"),
        ("return chat(['hi'])", "'hi' is no chat turn"),
        ("return chat([{'role': 'human', 'content': 'hi'}])", "is no chat turn"),
        ("return chat('a', n=2)", "unexpected keyword argument"),
    ],
)
async def test_a_fault_of_the_function_says_what_it_is(body: str, said: str, agent: Make) -> None:
    with pytest.raises(EvolithError) as caught:
        await run(agent(plain(body)))
    assert said in caught.value.message


@pytest.mark.anyio
@pytest.mark.parametrize("error", [BudgetExceeded("none left"), TransientFailure("503")])
@pytest.mark.parametrize(
    "text", [plain("return chat('a')"), coroutine("return await chat('a')")], ids=["sync", "async"]
)
async def test_what_the_model_raises_passes_through(
    text: str, error: EvolithError, agent: Make
) -> None:
    async def chat(request: Request) -> Response:
        assert request.messages
        raise error

    with pytest.raises(type(error)):
        await agent(text).run(ARTIFACT, TASK, chat)


@pytest.mark.anyio
async def test_async_code_in_a_plain_function_is_refused_and_does_not_hang(agent: Make) -> None:
    text = "async def later(chat):\n    return chat('a')\n" + plain("return later(chat)")
    with pytest.raises(EvolithError, match="a function that is not async"):
        await run(agent(text))


@pytest.mark.anyio
async def test_the_function_sees_no_answer_and_changes_nothing(agent: Make) -> None:
    before = TASK.hash
    body = "task.fields['steps'].append(2); components.clear(); return repr(task)"
    output = (await run(agent(plain(body)))).output
    assert "answer=None" in output
    assert "proof" not in output
    assert TASK.hash == before
    assert ARTIFACT.get("prompt.md") == "Add."


@pytest.mark.anyio
async def test_a_cancelled_rollout_does_not_wait_for_its_thread(
    agent: Make, tmp_path: Path
) -> None:
    body = f"import time; open({str(tmp_path / 'up')!r}, 'w').close(); time.sleep(2); return 'x'"
    maker = agent(plain(body))
    ended: list[Trajectory] = []

    async def watch() -> None:
        ended.append(await run(maker))

    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        while not (tmp_path / "up").exists():  # noqa: ASYNC110 - another thread makes it
            await anyio.sleep(0.01)
        group.cancel_scope.cancel()
    assert not ended

"""The prompt agent makes one request of prompt, demonstrations, format and task."""

from collections.abc import Mapping

import pytest

from evolith.agents.prompt import PromptAgent, PromptAgentConfig
from evolith.core.artifact import Artifact
from evolith.core.messages import Message
from evolith.core.task import Task
from evolith.errors import ArtifactError, ConfigError
from evolith.testing.recording_chat import RecordingChat

TASK = Task("t1", "2 + {2}", fields={"hint": "count"}, answer="4", hidden={"proof": "p"})
FULL = {
    "prompt.md": "Add the numbers.\n",
    "demos.jsonl": '{"input": "1 + 1", "output": "2"}\n',
    "format.md": "Write a number.\n",
}


def agent(*fields: str, **table: object) -> PromptAgent:
    return PromptAgent(PromptAgentConfig.model_validate(table), fields)


async def turns(files: Mapping[str, str], maker: PromptAgent | None = None) -> list[Message]:
    chat = RecordingChat("4")
    await (maker or agent()).run(Artifact.of(files), TASK, chat)
    return list(chat.requests[0].messages)


@pytest.mark.anyio
async def test_the_artifact_becomes_system_message_demonstrations_and_task() -> None:
    assert await turns(FULL) == [
        Message("system", "Add the numbers.\n\nWrite a number."),
        Message("user", "1 + 1"),
        Message("assistant", "2"),
        Message("user", "2 + {2}"),
    ]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"prompt.md": "P"}, [Message("system", "P")]),
        ({"format.md": "F"}, [Message("system", "F")]),
        ({"prompt.md": " \n", "format.md": "F"}, [Message("system", "F")]),
        (
            {"demos.jsonl": FULL["demos.jsonl"]},
            [Message("user", "1 + 1"), Message("assistant", "2")],
        ),
    ],
)
async def test_what_is_absent_or_blank_leaves_no_trace(
    files: dict[str, str], expected: list[Message]
) -> None:
    assert await turns(files) == [*expected, Message("user", "2 + {2}")]


@pytest.mark.anyio
async def test_the_template_writes_tasks_and_demonstrations_alike() -> None:
    maker = agent("hint", template="{input} = ? ({hint})")
    demos = '{"input": "1 + 1", "output": "2", "fields": {"hint": "think"}}'
    assert [turn.content for turn in await turns({"demos.jsonl": demos}, maker)] == [
        "1 + 1 = ? (think)",
        "2",
        "2 + {2} = ? (count)",
    ]


@pytest.mark.anyio
async def test_the_settings_go_into_the_request() -> None:
    chat = RecordingChat()
    limits = agent(
        max_tokens=9, temperature=0.5, stop=["\n"], structured="choice", options=["a", "b"]
    )
    schema = agent(structured="json", json_schema={"type": "object"})
    await limits.run(Artifact.of(FULL), TASK, chat)
    await schema.run(Artifact.of(FULL), TASK, chat)
    one, two = chat.requests
    assert (one.max_tokens, one.temperature, one.stop) == (9, 0.5, ("\n",))
    assert (one.choices, one.json_schema) == (("a", "b"), None)
    assert (two.choices, two.json_schema) == ((), {"type": "object"})


@pytest.mark.anyio
async def test_the_trajectory_is_the_whole_conversation() -> None:
    trajectory = await agent().run(Artifact.of(FULL), TASK, RecordingChat(" 4\n"))
    assert trajectory.output == " 4\n"
    assert trajectory.turns == (*await turns(FULL), Message("assistant", " 4\n"))


@pytest.mark.parametrize("name", ["answer", "proof", "hnt"])
def test_a_template_cannot_name_what_the_agent_may_not_see(name: str) -> None:
    with pytest.raises(ConfigError, match="no visible field") as caught:
        agent("hint", template=f"{{input}} {{{name}}}")
    assert "tasks.fields" in caught.value.fix


@pytest.mark.parametrize(
    ("files", "where", "said"),
    [
        ({"promt.md": "P"}, "promt.md", "no use for the file"),
        ({"prompt.md": "P", "skills/a.md": "S"}, "skills/a.md", "no use for the file"),
        ({"prompt.md": "P", "demos.jsonl": "\nno"}, "demos.jsonl:2", "no JSON"),
        ({"prompt.md": " ", "format.md": ""}, "prompt.md", "holds no text"),
    ],
)
def test_an_artifact_that_cannot_be_rendered_is_refused(
    files: dict[str, str], where: str, said: str
) -> None:
    with pytest.raises(ArtifactError, match=said) as caught:
        agent().check(Artifact.of(files))
    assert caught.value.where == where
    assert caught.value.fix


def test_a_misspelt_file_is_refused_with_the_nearest() -> None:
    with pytest.raises(ArtifactError) as caught:
        agent().check(Artifact.of({"promt.md": "P"}))
    assert "did you mean prompt.md?" in caught.value.fix


def test_a_demonstration_without_a_field_that_the_template_names_is_refused() -> None:
    with pytest.raises(ArtifactError, match="demonstration 1 has no field hint"):
        agent("hint", template="{input} {hint}").check(Artifact.of(FULL))


@pytest.mark.parametrize(
    ("table", "where"),
    [
        ({"structured": "choice"}, "agent.options"),
        ({"options": ["a"]}, "agent.options"),
        ({"structured": "json"}, "agent.json_schema"),
        ({"structured": "choice", "options": ["a"], "json_schema": {"a": 1}}, "agent.json_schema"),
        ({"template": "{"}, "agent.template"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_refused(table: dict[str, object], where: str) -> None:
    with pytest.raises(ConfigError) as caught:
        PromptAgentConfig.model_validate(table)
    assert caught.value.where == where

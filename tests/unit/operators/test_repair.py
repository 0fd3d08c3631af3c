"""How stale changes are put before a model, and how its reply is read."""

import anyio
import pytest

from evolith.operators.proposal import Record
from evolith.operators.protocols import NothingProposed
from evolith.operators.repair.reflective import ReflectiveRepair, Stale, read_reply
from evolith.testing.recording_chat import RecordingChat

TEXT = "```\nThe new text.\n```"
CURRENT = "The text as it is.\n"


def test_each_change_has_its_own_verdict_and_reason() -> None:
    said = "Change 1: patched - it names the unit\nChange 2: discarded - the text has it already\n"
    repaired = read_reply(f"{said}\n{TEXT}", CURRENT, 2)
    assert repaired.text == "The new text.\n"
    assert repaired.patched == (True, False)
    assert repaired.reasons == ("it names the unit", "the text has it already")


@pytest.mark.parametrize(
    "line",
    [
        "Change 1: discarded - old",
        "change 1 - DISCARDED: old",
        "**Change 1: Discarded** - old",
        "- Change 1: discarded, old",
        "  > Change 1: discarded — old",
    ],
)
def test_a_verdict_is_read_however_it_is_dressed(line: str) -> None:
    repaired = read_reply(f"{line}\nChange 2: patched\n{TEXT}", CURRENT, 2)
    assert repaired.patched == (False, True)
    assert repaired.reasons == ("old", "")


def test_a_change_without_a_verdict_counts_as_patched() -> None:
    assert read_reply(f"Change 2: discarded - no\n{TEXT}", CURRENT, 3).patched == (
        True,
        False,
        True,
    )
    assert read_reply(TEXT, CURRENT, 1).patched == (True,)


def test_a_verdict_on_a_change_that_nobody_made_is_passed_over() -> None:
    repaired = read_reply(f"Change 0: discarded\nChange 9: discarded\n{TEXT}", CURRENT, 1)
    assert repaired.patched == (True,)


def test_where_all_is_discarded_no_text_is_needed() -> None:
    repaired = read_reply("Change 1: discarded - a\nChange 2: discarded - b", CURRENT, 2)
    assert (repaired.text, repaired.patched) == (None, (False, False))
    assert repaired.reasons == ("a", "b")


def test_a_text_that_is_left_as_it_is_discards_all_changes() -> None:
    repaired = read_reply(f"Change 1: patched - fine\n```\n{CURRENT}```", CURRENT, 2)
    assert (repaired.text, repaired.patched) == (None, (False, False))
    assert repaired.reasons == ("fine", "the text was left as it is")


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("Change 1: patched - yes", "no_fence"),
        ("Change 1: patched\n```\n```", "empty"),
        ("", "no_fence"),
    ],
)
def test_a_patched_change_without_a_text_gives_nothing(reply: str, code: str) -> None:
    with pytest.raises(NothingProposed) as nothing:
        read_reply(reply, CURRENT, 1)
    assert nothing.value.code == code


def test_what_the_new_text_says_of_changes_is_no_verdict() -> None:
    reply = "Change 1: patched - first\n```\nChange 1: discarded is what you say.\n```"
    repaired = read_reply(reply, CURRENT, 1)
    assert (repaired.patched, repaired.reasons) == ((True,), ("first",))
    assert repaired.text == "Change 1: discarded is what you say.\n"


def test_the_model_sees_the_text_what_was_accepted_and_every_change_with_its_evidence() -> None:
    chat = RecordingChat(TEXT)
    records = (Record("in", "out", "wants {braces}", 0.0), Record("in", "out", "", 1.0))
    changes = [Stale("old", "mine {0}", records), Stale("old", "yours", ())]

    async def repair() -> None:
        await ReflectiveRepair(99, 0.5).repair("prompt.md", CURRENT, "-old\n+new", changes, chat)

    anyio.run(repair)
    (request,) = chat.requests
    (message,) = request.messages
    assert (request.max_tokens, request.temperature) == (99, 0.5)
    for part in (
        "prompt.md",
        CURRENT,
        "-old\n+new",
        "Change 1:\n```\nmine {0}\n```",
        "wants {braces}",
        "Change 2:\n```\nyours\n```",
        "none was kept",
    ):
        assert part in message.content

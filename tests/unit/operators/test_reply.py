"""Reading a reflection reply: a whole fenced text is taken, anything else is a counted failure."""

import pytest

from evolith.operators.mutate.reply import fenced
from evolith.operators.protocols import NothingProposed


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("```\nNew text.\n```", "New text."),
        ("Here it is:\n\n```markdown\nNew text.\n```\nHope it helps.", "New text."),
        ("```\r\nNew text.\r\n```\r\n", "New text."),
        (
            "```\nUse this:\n```json\n{}\n```\nand no more.\n```",
            "Use this:\n```json\n{}\n```\nand no more.",
        ),
        ("  ```\n  Indented.\n  ```", "Indented."),
    ],
)
def test_the_text_between_the_outer_fences_is_taken(reply: str, text: str) -> None:
    assert fenced(reply) == text


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("New text without fences.", "no_fence"),
        ("```\nNever closed, for example since it was cut", "no_fence"),
        ("``` one line ```", "no_fence"),
        ("", "no_fence"),
        ("```\n \n```", "empty"),
    ],
)
def test_a_reply_without_a_whole_text_is_refused(reply: str, code: str) -> None:
    with pytest.raises(NothingProposed) as refused:
        fenced(reply)
    assert refused.value.code == code

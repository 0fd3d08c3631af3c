"""Reflective repair: a model says which stale changes still help, and works them in (FlashEvolve).

Several changes go into one call. Past the paper, each gets a verdict of its own with a reason.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evolith.core.messages import Message, Request
from evolith.core.ports import Chat
from evolith.operators.mutate.reply import FENCE, fenced
from evolith.operators.proposal import Record

EVIDENCE_CHARS = 4_000
"""Most characters of the evidence of one change."""
VERDICT = re.compile(r"(?im)^\W*change\s+(\d+)\W+(patched|discarded)\b[^\w\n]*(.*)$")

PROMPT = """\
A language model works by the text between the first pair of triple backticks. It is the file \
{path} of the agent, as it stands now.

```
{current}
```

Since some editors began their work, these edits were accepted:

{since}

Each of the following changes was made to an older text and is shown as its editor's whole text.

{changes}

For each change, say whether what it adds is still worth having in the text as it stands now. \
Write one line for each: "Change N: patched - why" when you work it in, or "Change N: discarded - \
why" when the text has it already, or it would undo something better. Keep what was accepted.

After these lines give the whole new text, with all patched changes worked in, between triple \
backticks, and nothing after it."""


@dataclass(frozen=True, slots=True)
class Stale:
    """A change that conflicts with what was accepted since.

    Args:
        before: The text that its editor began with.
        after: The text that its editor made of it.
        evidence: What the editor was told.
    """

    before: str
    after: str
    evidence: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Repaired:
    """The answer to a repair call.

    Args:
        text: The new text, or None where every change was discarded.
        patched: For each change whether it was worked in.
        reasons: For each change the model's reason, or an empty text.
    """

    text: str | None
    patched: tuple[bool, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReflectiveRepair:
    """Asks a model to work stale changes into the present text.

    Args:
        max_tokens: Most tokens of the reply.
        temperature: Sampling temperature of the reply; None leaves it to the server.
    """

    max_tokens: int = 2048
    temperature: float | None = None

    async def repair(
        self, path: str, current: str, since: str, changes: Sequence[Stale], chat: Chat
    ) -> Repaired:
        """Return what the model made of the changes.

        Args:
            path: The component.
            current: Its text in the present champion.
            since: The accepted edits, as a unified diff.
            changes: The stale changes.
            chat: The model of the role `repair`.

        Raises:
            NothingProposed: the reply holds no text although a change was patched.
            ModelFailure: the model gave no complete answer.
        """
        shown = "\n\n".join(_show(n, change) for n, change in enumerate(changes, start=1))
        prompt = PROMPT.format(path=path, current=current, since=since, changes=shown)
        request = Request((Message("user", prompt),), self.max_tokens, self.temperature)
        reply = await chat(request)
        return read_reply(reply.text, current, len(changes))


def read_reply(reply: str, current: str, changes: int) -> Repaired:
    """Return the verdicts and the text of a reply. A change without a verdict counts as patched.

    Raises:
        NothingProposed: it holds no text although a change was patched.
    """
    patched, reasons = [True] * changes, [""] * changes
    verdicts = FENCE.sub("", reply)  # the text itself may speak of changes
    for number, word, reason in VERDICT.findall(verdicts):
        if 1 <= int(number) <= changes:
            patched[int(number) - 1] = word.lower() == "patched"
            reasons[int(number) - 1] = reason.strip()
    if not any(patched):
        return Repaired(None, tuple(patched), tuple(reasons))
    text = fenced(reply)
    if text == current.strip():
        said = tuple(reason or "the text was left as it is" for reason in reasons)
        return Repaired(None, (False,) * changes, said)
    return Repaired(f"{text}\n", tuple(patched), tuple(reasons))


def _show(number: int, change: Stale) -> str:
    said = "\n".join(record.feedback for record in change.evidence if record.feedback)
    evidence = said[:EVIDENCE_CHARS] or "none was kept"
    text = change.after.strip()
    return f"Change {number}:\n```\n{text}\n```\nWhat its editor was told:\n{evidence}"

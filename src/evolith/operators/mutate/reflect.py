"""Reflective mutation: a model reads how one component did and rewrites it (GEPA)."""

from dataclasses import dataclass

from evolith.core.messages import Message, Request, Role
from evolith.operators.mutate.reply import fenced
from evolith.operators.proposal import Proposal, Record
from evolith.operators.protocols import Context, Draft, NothingProposed
from evolith.operators.verbatim import copied_run

RECORD_CHARS = 4_000
"""Most characters of one record's input and of its output."""
EVIDENCE_CHARS = 30_000
"""Most characters of all records together; later records are left out."""

PROMPT = """\
A language model works by the text between the first pair of triple backticks. It is the file \
{path} of the agent.

```
{text}
```

Below are tasks that it was given, what it answered, and what a checker said of each answer.

{records}

Write a better version of that text. Find out from the tasks what is asked and in which form, and \
from the checker's remarks what went wrong and why. State facts, rules and ways of working that \
will help with new tasks of the same kind. Keep what worked. Do not copy the tasks above into the \
text: the model will be given others.

Answer with the whole new text between triple backticks, and nothing after it."""


@dataclass(frozen=True, slots=True)
class Reflect:
    """Asks the reflection model for a new text of the selected component.

    A reply that has no fenced text, is empty, changes nothing, or copies a train task at length
    is not adopted; it is counted under its code.

    Args:
        max_tokens: Most tokens of the reply.
        temperature: Sampling temperature of the reply; None leaves it to the server.
    """

    max_tokens: int = 2048
    temperature: float | None = None

    async def mutate(self, proposal: Proposal, context: Context) -> Draft:
        """Return the parent with one component rewritten."""
        (parent,), (path,) = proposal.parents, proposal.selected.components
        before = parent.artifact.get(path) or ""
        prompt = PROMPT.format(path=path, text=before, records=_records(proposal.evidence))
        request = Request((Message("user", prompt),), self.max_tokens, self.temperature)
        reply = await context.chat(Role.REFLECT, "reflect")(request)
        text = fenced(reply.text)
        if text == before.strip():
            raise NothingProposed("unchanged", "the reflection model changed nothing")
        run = copied_run(text, before, [task.input for task in context.tasks.train])
        if run is not None:
            raise NothingProposed("copies_tasks", f"the new text copies a train task: {run[:60]!r}")
        return Draft(parent.artifact.replace(path, f"{text}\n"), f"Rewrote {path}.")


def _records(records: tuple[Record, ...]) -> str:
    parts: list[str] = []
    room = EVIDENCE_CHARS
    for number, record in enumerate(records, start=1):
        part = (
            f"Task {number}:\n{record.input[:RECORD_CHARS]}\n"
            f"Answer {number}: {record.output[:RECORD_CHARS]}\n"
            f"Checker {number}: {record.feedback or f'Score {record.value:g} of 1.'}"
        )
        room -= len(part)
        if room < 0 and parts:
            break
        parts.append(part)
    return "\n\n".join(parts)

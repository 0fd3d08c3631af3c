"""A model whose answers are written down beforehand."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evolith.core.messages import Request, Response
from evolith.errors import ConfigError, EvolithError
from evolith.models.function import whole
from evolith.models.tokens import most_tokens_in


@dataclass(frozen=True, slots=True)
class Rule:
    """An answer for every request whose text matches.

    Args:
        match: A regular expression that is searched in the request's text, turn by turn.
        answer: What is answered.
    """

    match: str
    answer: str


class ScriptedModel:
    """Answers by the first rule that matches.

    Args:
        rules: In the order in which they are tried.
        name: How the config names it.
    """

    remote = False

    def __init__(self, rules: Sequence[Rule], name: str = "scripted") -> None:
        self._rules = [(re.compile(rule.match, re.DOTALL), rule.answer) for rule in rules]
        self.name = name

    @classmethod
    def read(cls, path: Path) -> "ScriptedModel":
        """Read rules from a JSONL file with `match` and `answer` on each line.

        Raises:
            ConfigError: the file cannot be read, or a line is no rule.
        """
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"the script cannot be read ({error})", where=str(path), fix="check models.task"
            ) from None
        rules = [_rule(line, f"{path}:{n}") for n, line in enumerate(lines, start=1) if line]
        return cls(rules, f"scripted:{path.name}")

    def most_tokens_in(self, request: Request) -> int:
        """Return a bound on the prompt tokens, by the bytes of what is asked."""
        return most_tokens_in(request)

    async def complete(self, request: Request) -> Response:
        """Return the answer of the first rule that matches.

        Raises:
            TruncatedResponse: the answer is empty or longer than asked for.
            EvolithError: no rule matches.
        """
        text = "\n".join(turn.content for turn in request.messages)
        for pattern, answer in self._rules:
            if pattern.search(text):
                return whole(answer, request)
        raise EvolithError(
            f"no rule of the script matches the request {text[-80:]!r}",
            where=self.name,
            fix='add a rule, such as {"match": "", "answer": "..."} at the end',
        )

    async def aclose(self) -> None:
        """Do nothing."""


def _rule(line: str, where: str) -> Rule:
    try:
        row = json.loads(line)
        rule = Rule(str(row["match"]), str(row["answer"]))
        re.compile(rule.match)
    except (ValueError, KeyError, TypeError, re.error) as error:
        raise ConfigError(
            f"this line is no rule ({error})",
            where=where,
            fix='write {"match": "a regular expression", "answer": "text"}',
        ) from None
    return rule

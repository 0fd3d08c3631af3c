"""`choice`: the output names one of a few options, and it is the right one."""

import re
from collections.abc import Sequence
from typing import Literal

from pydantic import model_validator

from evolith.core.score import Score
from evolith.core.task import Task, TaskSet
from evolith.errors import ConfigError, TasksError, did_you_mean
from evolith.scorers.answers import right_answers
from evolith.scorers.base import AnswerScorer, ScorerSettings, right, wrong

AROUND = " \t\r\n\"'`*_.,:;!?()[]{}<>"
"""What may stand around an option: quotes, brackets, punctuation, emphasis."""


class ChoiceConfig(ScorerSettings):
    """The output must name the right one of a few options; it may say more, but no second one."""

    kind: Literal["choice"] = "choice"
    """Finds the option that the output names."""
    options: tuple[str, ...] = ()
    """The options, which feedback may list; without them, all answers of the tasks, which it
    does not list."""

    @model_validator(mode="after")
    def _distinct(self) -> "ChoiceConfig":
        if len({_key(option) for option in self.options} - {""}) < len(self.options):
            raise ConfigError(
                "two options differ by nothing, or one is empty",
                where="scorer.options",
                fix="name each option once; case and punctuation around it do not count",
            )
        return self


class Choice(AnswerScorer):
    """Finds the option that the output names.

    Args:
        config: Its settings.
        tasks: Where the options are taken from if the settings name none.
    """

    def __init__(self, config: ChoiceConfig, tasks: TaskSet) -> None:
        super().__init__(reveal_answer=config.reveal_answer)
        options = config.options or sorted({a for _, t in tasks for a in right_answers(t)})
        self._options = {_key(option): option for option in options if _key(option)}
        listed = ", ".join(config.options)
        self._which = f"options {listed}" if listed else f"{len(self._options)} options"
        self._pattern = _pattern(options)

    def check(self, task: Task) -> None:
        """Refuse a task whose answer is no option."""
        for answer in right_answers(task):
            if _key(answer) not in self._options:
                raise TasksError(
                    f"the answer {answer!r} is none of the options",
                    where=f"task {task.id}",
                    fix=f"{did_you_mean(answer, self._options.values())}; or correct "
                    "scorer.options",
                )

    def compare(self, output: str, task: Task) -> Score:
        """Judge an output."""
        chosen = self._chosen(output)
        if not chosen:
            return wrong(f"the output names none of the {self._which}")
        names = ", ".join(chosen.values())
        if len(chosen) > 1:
            return wrong(f"the output names {len(chosen)} options ({names}); name exactly one")
        if chosen.keys() & set(map(_key, right_answers(task))):
            return right()
        return wrong(f"the output chooses {names}")

    def _chosen(self, output: str) -> dict[str, str]:
        """Return the options that the output names, in its own spelling, each once, in order."""
        if (whole := _key(output)) in self._options:
            return {whole: output.strip()}
        found = {_key(match[0]): match[0] for match in self._pattern.finditer(output)}
        return {key: text for key, text in found.items() if key in self._options}


def _key(text: str) -> str:
    """Return what counts of an option: no case, nothing around it, one space for any."""
    return " ".join(re.split(r"[\s_-]+", text.strip(AROUND).casefold()))


def _pattern(options: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern that finds options as whole words, the longest first.

    A single letter counts in its own case alone, since `a` is also a word.
    """
    parts = []
    for option in sorted(options, key=len, reverse=True):
        bare = option.strip(AROUND)
        words = r"[\s_-]+".join(map(re.escape, re.split(r"[\s_-]+", bare)))
        parts.append(words if len(bare) == 1 else f"(?i:{words})")
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})(?!\w)")

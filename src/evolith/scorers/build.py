"""Makes the scorer that a config names, and checks that it can judge the tasks."""

from pathlib import Path

from evolith.core.ports import Scorer
from evolith.core.task import TaskSet
from evolith.plugins import load_callable
from evolith.scorers.base import AnswerScorer
from evolith.scorers.choice import Choice, ChoiceConfig
from evolith.scorers.command import Command, CommandConfig
from evolith.scorers.config import AnswerConfig, ScorerConfig
from evolith.scorers.contains import Contains, ContainsConfig
from evolith.scorers.exact import Exact, ExactConfig
from evolith.scorers.f1 import F1, F1Config
from evolith.scorers.fields import Fields, FieldsConfig
from evolith.scorers.function import Function, FunctionConfig
from evolith.scorers.json_equal import Json, JsonConfig
from evolith.scorers.judge import Judge, JudgeConfig
from evolith.scorers.numeric import Numeric, NumericConfig
from evolith.scorers.regex import Regex, RegexConfig


def build_scorer(config: ScorerConfig, base: Path, tasks: TaskSet) -> Scorer:
    """Return the scorer of a run.

    Args:
        config: The table `[scorer]`.
        base: The config's folder, where the user's function or program is looked for.
        tasks: What it will judge. Each answer is checked, so that nothing is paid for in vain.

    Raises:
        ConfigError: the user's function or program cannot be used.
        TasksError: a task has no answer, or one that the scorer cannot use.
    """
    match config:
        case FunctionConfig():
            return Function(config, load_callable(config.function, base))
        case CommandConfig():
            return Command(config, base)
        case JudgeConfig():
            return Judge(config)
    scorer = _answer_scorer(config, tasks)
    for _, task in tasks:
        scorer.check(task)
    return scorer


def _answer_scorer(config: AnswerConfig, tasks: TaskSet) -> AnswerScorer:
    scorer: AnswerScorer
    match config:
        case ExactConfig():
            scorer = Exact(config)
        case ChoiceConfig():
            scorer = Choice(config, tasks)
        case ContainsConfig():
            scorer = Contains(config)
        case RegexConfig():
            scorer = Regex(config)
        case NumericConfig():
            scorer = Numeric(config)
        case F1Config():
            scorer = F1(config)
        case JsonConfig():
            scorer = Json(config)
        case FieldsConfig():
            scorer = Fields(config)
    return scorer

"""The table `[scorer]`: one class for each kind."""

from typing import Annotated

from pydantic import Field

from evolith.scorers.choice import ChoiceConfig
from evolith.scorers.command import CommandConfig
from evolith.scorers.contains import ContainsConfig
from evolith.scorers.exact import ExactConfig
from evolith.scorers.f1 import F1Config
from evolith.scorers.fields import FieldsConfig
from evolith.scorers.function import FunctionConfig
from evolith.scorers.json_equal import JsonConfig
from evolith.scorers.judge import JudgeConfig
from evolith.scorers.numeric import NumericConfig
from evolith.scorers.regex import RegexConfig

AnswerConfig = (
    ExactConfig
    | ChoiceConfig
    | ContainsConfig
    | RegexConfig
    | NumericConfig
    | F1Config
    | JsonConfig
    | FieldsConfig
)
"""The scorers that compare the output with the answer."""
ScorerConfig = Annotated[
    AnswerConfig | FunctionConfig | CommandConfig | JudgeConfig, Field(discriminator="kind")
]
"""How an output is judged; `kind` chooses."""

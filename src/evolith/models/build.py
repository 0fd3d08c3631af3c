"""From settings to models and gates. Nothing is loaded or reached before the first call."""

from pathlib import Path

from evolith.core.messages import Role
from evolith.core.ports import Model
from evolith.models.config import ModelConfig, ModelsConfig
from evolith.models.function import FunctionModel
from evolith.models.gate import Gate, Limits
from evolith.models.local import LocalModel
from evolith.models.openai import OpenAIModel
from evolith.models.scripted import ScriptedModel
from evolith.plugins import load_callable


def build_model(config: ModelConfig, base: Path) -> Model:
    """Return the model that the settings name.

    Args:
        config: Its settings.
        base: The config's folder, to which paths are relative.

    Raises:
        ConfigError: a file or function that it names cannot be used.
    """
    match config.kind:
        case "openai":
            return OpenAIModel(config)
        case "scripted":
            return ScriptedModel.read(base / config.model)
        case "function":
            return FunctionModel(load_callable(config.model, base), config.use)
    return LocalModel(config, base)


def build_gates(models: ModelsConfig) -> dict[str, Gate]:
    """Return a gate for each provider key, which holds the smallest of its models' limits.

    Only `concurrency` is a bound of each model, so the gate has the largest.
    """
    found: dict[str, list[ModelConfig]] = {}
    for role in Role:
        settings = models.of(role)
        found.setdefault(settings.provider, []).append(settings)
    return {
        provider: Gate(
            provider,
            Limits(
                max(each.concurrency for each in settings),
                _smallest([each.requests_per_minute for each in settings]),
                _smallest([each.tokens_per_minute for each in settings]),
            ),
        )
        for provider, settings in found.items()
    }


def _smallest(limits: list[int | None]) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)

"""From a model's settings to the model. Nothing is loaded or reached before the first call."""

from pathlib import Path

from evolith.core.ports import Model
from evolith.models.config import ModelConfig
from evolith.models.function import FunctionModel
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

"""What the results of a run depend on."""

from evolith.config.settings import RunConfig
from evolith.core.ids import canonical_json
from evolith.core.messages import Role

LIMITS = {"api_key_env", "concurrency", "free", "price", "retries", "timeout"}
"""Settings of a model that do not change what it answers."""


def content(config: RunConfig) -> str:
    """Return the settings that the results of a run depend on, as canonical JSON.

    Left out is what does not change a result: the folder, workers, the budget, and the keys, prices
    and limits of models.
    """
    data = config.model_dump(
        mode="json", exclude={"base": True, "budget": True, "models": True, "run": {"workers"}}
    )
    data["models"] = {
        role: config.models.of(role).model_dump(mode="json", exclude=LIMITS) for role in Role
    }
    return canonical_json(data)

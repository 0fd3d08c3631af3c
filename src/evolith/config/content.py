"""What the results of a run depend on."""

import json

from evolith.config.settings import RunConfig
from evolith.core.ids import canonical_json
from evolith.core.messages import Role

ACCESS = {
    "api_key_env",
    "base_url",
    "concurrency",
    "free",
    "price",
    "requests_per_minute",
    "retries",
    "timeout",
    "tokens_per_minute",
}
"""Settings of a model that do not change what it answers: how it is reached and paid."""
FILES = {"file", "train", "val", "test"}
"""Settings of the tasks that name files, whose rows have a hash of their own."""


def content(config: RunConfig) -> str:
    """Return the settings that the results of a run depend on, as canonical JSON.

    Left out is what does not change a result: the folder, the names of task files, workers, the
    budget, and the addresses, keys, prices and limits of models.
    """
    data = config.model_dump(
        mode="json",
        exclude={"base": True, "budget": True, "models": True, "run": {"workers"}, "tasks": FILES},
    )
    data["models"] = {
        role: config.models.of(role).model_dump(mode="json", exclude=ACCESS) for role in Role
    }
    return canonical_json(data)


def same_content(recorded: str, now: str) -> bool:
    """Say whether two contents mean the same results; that of an older run may hold more."""
    return _bare(recorded) == _bare(now)


def _bare(text: str) -> object:
    data = json.loads(text)
    for key in FILES:
        data["tasks"].pop(key, None)
    for model in data["models"].values():
        for key in ACCESS:
            model.pop(key, None)
    return data

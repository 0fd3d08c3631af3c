"""The terms on which a run goes on: whatever its results do not depend on."""

from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path

from evolith.archive.state import State
from evolith.config import RunConfig
from evolith.core.budget import Budget, spoken
from evolith.errors import ConfigError
from evolith.models.config import ModelsConfig

UNCHANGED = Budget()
"""No limit is other than it was."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What is different from the session before.

    Args:
        budget: Limits of the whole run; those that are None stay as they were.
        workers: Most rollouts at once; None leaves it.
        models: The table `[models]`, with other addresses, keys, prices or limits; None leaves it.
        base: Where the project is now; None leaves it.
    """

    budget: Budget = UNCHANGED
    workers: int | None = None
    models: ModelsConfig | None = None
    base: Path | None = None

    def check(self, state: State) -> None:
        """Refuse a limit that leaves nothing to spend.

        Raises:
            ConfigError: the run has spent as much already.
        """
        total = state.total
        spent: dict[str, Decimal | float] = {
            "tokens": total.tokens,
            "money": total.money,
            "rollouts": total.rollouts,
            "seconds": state.seconds,
        }
        for name, limit in asdict(self.budget).items():
            if limit is not None and limit <= spent[name]:
                used = spoken(name, spent[name])
                raise ConfigError(
                    f"the run has spent {used} already, so it could not go on with "
                    f"{spoken(name, limit)} in all",
                    where=f"budget.{name}",
                    fix=f"give more than {used}",
                )

    def of(self, config: RunConfig) -> RunConfig:
        """Return the config of the session from that of the last one."""
        limits = {name: most for name, most in asdict(self.budget).items() if most is not None}
        update: dict[str, object] = {"budget": config.budget.model_copy(update=limits)}
        if self.workers is not None:
            update["run"] = config.run.model_copy(update={"workers": self.workers})
        if self.models is not None:
            update["models"] = self.models
        if self.base is not None:
            update["base"] = self.base.resolve()
        return config.model_copy(update=update)

"""Where the project of a run is: the folder that paths of its config are relative to.

It is recorded twice: as it is, and as it lies from the run's folder. So it is found when both were
moved together, and when the run's folder was moved alone.
"""

import os
from pathlib import Path

from evolith.config import RunConfig
from evolith.errors import ConfigError


def way_to(project: Path, run_dir: Path) -> str:
    """Return how the project lies from the folder of a run."""
    return os.path.relpath(project.resolve(), run_dir.resolve())


def found_from(run_dir: Path, way: str, config: RunConfig) -> Path:
    """Return the project's folder: as it lies from the run's, if it is there; else as recorded.

    Args:
        run_dir: The run's folder.
        way: How the project lay from it.
        config: The recorded config.
    """
    beside = (run_dir / way).resolve()
    return config.base if _missing(config, beside) else beside


def require(config: RunConfig) -> None:
    """Refuse a config whose project has gone.

    Raises:
        ConfigError: its task files are not in its folder.
    """
    if (missing := _missing(config, config.base)) is not None:
        raise ConfigError(
            "a file of the run's project is not there any more",
            where=str(missing),
            fix="put it back, or say where the project is now with --base DIR",
        )


def _missing(config: RunConfig, base: Path) -> Path | None:
    tasks = config.tasks
    names = (name for name in (tasks.file, tasks.train, tasks.val, tasks.test) if name is not None)
    return next((base / name for name in names if not (base / name).is_file()), None)

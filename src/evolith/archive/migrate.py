"""The schema of an archive: refused when newer, brought up to date when older."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from sqlalchemy import Connection, select, update

from evolith.archive import connect
from evolith.archive.tables import META
from evolith.core.events import SCHEMA_VERSION
from evolith.errors import ArchiveError

Step = Callable[[Connection], None]
"""Turns an archive of one schema version into one of the next, inside a transaction."""


def _more_kinds(connection: Connection) -> None:
    """Change nothing: schema 2 only has further kinds of events, which schema 1 cannot read."""


STEPS: Mapping[int, Step] = MappingProxyType({1: _more_kinds})
"""By the version that they start from."""


def check_schema(connection: Connection, run_dir: Path) -> int:
    """Return the schema version of an archive, which is at most that of this Evolith.

    Raises:
        ArchiveError: the archive is of a newer Evolith, or holds no run.
    """
    row = connection.execute(select(META.c.schema_version, META.c.evolith_version)).first()
    if row is None:
        raise ArchiveError(
            "archive.db does not hold a run", where=str(run_dir), fix="name the folder of a run"
        )
    if row.schema_version > SCHEMA_VERSION:
        raise ArchiveError(
            f"the archive has schema {row.schema_version} of Evolith {row.evolith_version}, and "
            f"this Evolith knows schemas up to {SCHEMA_VERSION}",
            where=str(run_dir),
            fix="update Evolith",
        )
    return int(row.schema_version)


def check_current(connection: Connection, run_dir: Path) -> None:
    """Refuse to read an archive of another schema.

    Raises:
        ArchiveError: the archive is of a newer or of an older Evolith, or holds no run.
    """
    found = check_schema(connection, run_dir)
    if found < SCHEMA_VERSION:
        raise ArchiveError(
            f"the archive has schema {found}, and this Evolith reads schema {SCHEMA_VERSION}",
            where=str(run_dir),
            fix="resume the run, which brings its archive up to date after a copy was made",
        )


def migrate(connection: Connection, run_dir: Path, steps: Mapping[int, Step]) -> None:
    """Bring an archive to the schema of this Evolith, after copying it to `archive.db.schema-N`.

    All steps are one transaction: when one fails, the archive is as before.

    Args:
        connection: The one that writes.
        run_dir: The folder of the run.
        steps: By the version that they start from.

    Raises:
        ArchiveError: the archive is of a newer Evolith, or no steps lead here.
    """
    found = check_schema(connection, run_dir)
    way = range(found, SCHEMA_VERSION)
    if missing := [version for version in way if version not in steps]:
        raise ArchiveError(
            f"this Evolith cannot read schema {missing[0]} any more",
            where=str(run_dir),
            fix="resume the run with the Evolith that began it",
        )
    connection.rollback()
    if not way:
        return
    _copy(connection, run_dir / f"{connect.FILE}.schema-{found}")
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    for version in way:
        steps[version](connection)
    connection.execute(update(META).values(schema_version=SCHEMA_VERSION))
    connection.commit()


def _copy(connection: Connection, path: Path) -> None:
    partial = path.with_name(f"{path.name}.partial")
    partial.unlink(missing_ok=True)
    connection.exec_driver_sql("VACUUM INTO ?", (str(partial),))
    connection.rollback()
    with partial.open("rb") as file:
        os.fsync(file.fileno())
    partial.replace(path)

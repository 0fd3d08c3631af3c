"""Checks an archive from the bytes up, and names exactly what is broken."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, select
from sqlalchemy.exc import DBAPIError

from evolith.archive import connect
from evolith.archive.consistency import Consistency, blobs_of
from evolith.archive.faults import DAMAGED, explain, teaching
from evolith.archive.migrate import check_current
from evolith.archive.problem import Problem
from evolith.archive.rows import (
    RESTORE,
    BlobRow,
    EventRow,
    PendingRow,
    entry_of,
    pending_of,
    text_of,
)
from evolith.archive.state import Entry
from evolith.archive.tables import BLOB, EVENT, META, PENDING
from evolith.archive.tally import acknowledged, check_tail
from evolith.errors import ArchiveError

PAGE = 500
"""Events that are read at once."""
_MOST_MESSAGES = 100
"""Messages of SQLite's own check that are passed on."""
_EVENTS = select(*(EVENT.c[name] for name in EventRow._fields))


def verify(run_dir: Path) -> list[Problem]:
    """Check the archive of a run; a process may be at work on it meanwhile.

    Looks at the database, at every event, pending call and blob, at their hashes, and at whether
    the events fit together. Nothing that is broken raises: it becomes a problem.

    Args:
        run_dir: The folder of the run.

    Returns:
        What is broken; nothing for a whole archive.
    """
    check = _Check(run_dir)
    with check.noting():
        connect.must_exist(run_dir)
        with connect.reader(run_dir) as connection:
            check.database(connection)
            with check.noting():
                check_current(connection, run_dir)
                check.tail(connection)
                named = check.events(connection)
                check.blobs(connection, named)
                check.pending(connection)
    return list(dict.fromkeys(check.problems))


class _Check:
    def __init__(self, run_dir: Path) -> None:
        self._run_dir = run_dir
        self.problems: list[Problem] = []

    @contextmanager
    def noting(self, where: str = "") -> Iterator[None]:
        """Make a problem of an error; go on after the block."""
        try:
            with teaching(self._run_dir):
                yield
        except ArchiveError as error:
            fix = RESTORE if error.fix == DAMAGED else error.fix
            self.problems.append(Problem(error.message, where or error.where, fix))

    def database(self, connection: Connection) -> None:
        """Let SQLite check its own pages and indexes."""
        where = str(self._run_dir / connect.FILE)
        with self.noting():
            try:
                found = _integrity(connection, _MOST_MESSAGES)
            except DBAPIError:
                found = _integrity(connection, 1)  # stops in time before what cannot be read
            self.problems += [Problem(message, where, RESTORE) for message in found]

    def tail(self, connection: Connection) -> None:
        """See that the end of the log is there."""
        with self.noting():
            noted = acknowledged(self._run_dir)
            found = connection.scalars(select(META.c.writes)).one()
            check_tail(self._run_dir, noted, found)

    def events(self, connection: Connection) -> dict[str, str]:
        """Check every event; return the blobs that they name, each with the key of an event."""
        named: dict[str, str] = {}
        consistency = Consistency()
        for entry in self._entries(connection):
            consistency.add(entry.event)
            for digest in blobs_of(entry.event):
                named.setdefault(digest, entry.event.key)
        self.problems += consistency.problems()
        return named

    def blobs(self, connection: Connection, named: Mapping[str, str]) -> None:
        """Check that every blob has its hash, and that all that are named are there."""
        listed: set[str] = set()
        with self.noting("the list of blobs"):
            listed.update(connection.scalars(select(BLOB.c.sha256)))
        for digest in sorted(listed.union(named), key=str):  # damage may make one a number
            where = f"blob {digest}"
            if digest in named:
                where += f" of event {named[digest]}"
            with self.noting(where):
                query = select(BLOB).where(BLOB.c.sha256 == digest)
                row = connection.execute(query).first()
                if row is None:
                    raise ArchiveError("it is missing", fix=RESTORE)
                text_of(BlobRow(*row))

    def pending(self, connection: Connection) -> None:
        """Check every call that was under way."""
        with self.noting("the list of pending calls"):
            for row in connection.execute(select(PENDING)):
                with self.noting():
                    pending_of(PendingRow(*row))

    def _entries(self, connection: Connection) -> Iterator[Entry]:
        """Yield the events that can be read, in the order of writing."""
        keys: dict[int, str] = {}
        with self.noting("the index of events"):  # in its order, so that the index alone is read
            listed = connection.execute(select(EVENT.c.seq, EVENT.c.key).order_by(EVENT.c.key))
            keys.update((seq, key) for seq, key in listed)
        numbers = sorted(keys)
        for number, expected in zip(numbers, range(1, len(numbers) + 1), strict=True):
            if number != expected:
                what = f"the event before it is missing: it has number {number}, not {expected}"
                self.problems.append(Problem(what, f"event {keys[number]}", RESTORE))
                break  # all later ones are off by the same
        for start in range(0, len(numbers), PAGE):
            for row in self._rows(connection, numbers[start : start + PAGE], keys):
                with self.noting():
                    yield entry_of(row)

    def _rows(
        self, connection: Connection, numbers: Sequence[int], keys: Mapping[int, str]
    ) -> Iterator[EventRow]:
        """Yield the rows that can be read; halve the numbers to find those that cannot."""
        query = _EVENTS.where(EVENT.c.seq.in_(numbers)).order_by(EVENT.c.seq)
        try:
            rows = connection.execute(query).all()
        except DBAPIError as error:
            if len(numbers) == 1:
                what = f"it cannot be read: {explain(error, self._run_dir).message}"
                self.problems.append(Problem(what, f"event {keys[numbers[0]]}", RESTORE))
                return
            middle = len(numbers) // 2
            yield from self._rows(connection, numbers[:middle], keys)
            yield from self._rows(connection, numbers[middle:], keys)
        else:
            yield from (EventRow(*row) for row in rows)


def _integrity(connection: Connection, most: int) -> list[str]:
    said = "\n".join(connection.exec_driver_sql(f"PRAGMA integrity_check({most})").scalars())
    return [line for line in said.splitlines() if line != "ok" and not line.startswith("***")]

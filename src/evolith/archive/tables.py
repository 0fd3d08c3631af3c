"""The tables of `archive.db`."""

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

TABLES = MetaData()

META = Table(
    "meta",
    TABLES,
    Column("id", Integer, CheckConstraint("id = 1"), primary_key=True),
    Column("schema_version", Integer, nullable=False),
    Column("evolith_version", Text, nullable=False),
    Column("created", Float, nullable=False),
    Column("writes", Integer, nullable=False),  # transactions so far, see tally.py
)
"""One row about the archive itself."""

EVENT = Table(
    "event",
    TABLES,
    Column("seq", Integer, primary_key=True),  # 1, 2, 3, ... in the order of writing
    Column("key", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),  # canonical JSON; no TEXT, which lacks surrogates
    Column("digest", Text, nullable=False),  # SHA-256 of the body
    Column("at", Float, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("crc", Integer, nullable=False),  # over the other columns: SQLite has no checksums
)
"""The log: everything else is computed from it."""

BLOB = Table(
    "blob",
    TABLES,
    Column("sha256", Text, primary_key=True),  # of the text in UTF-8
    Column("packed", Boolean, nullable=False),  # whether the body is compressed by zlib
    Column("body", LargeBinary, nullable=False),
)
"""Texts that events name by their hash."""

PENDING = Table(
    "pending",
    TABLES,
    Column("call", Text, primary_key=True),
    Column("body", LargeBinary, nullable=False),  # JSON
    Column("digest", Text, nullable=False),  # SHA-256 of the body
)
"""Model calls under way."""

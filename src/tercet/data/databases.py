"""Open databases: SQLite files, and PostgreSQL (SQLAlchemy)."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..errors import MissingDependency, UsageError

try:
    import sqlalchemy as sql
    from sqlalchemy.exc import ArgumentError
except ImportError:
    raise MissingDependency("A database", "web") from None


def open_engine(
    url: str | Path, *, create: bool = True, missing: str = "there is nothing yet", pooled: bool = True
) -> tuple[sql.Engine, str]:
    """Return the engine of an SQLite file or a postgresql:// address, and its name without a password for messages.

    create: whether a file that does not exist is created. missing: what the error says otherwise.
    pooled: keep connections open. While one is open, an SQLite file lacks what is still in the -wal file beside it.
    """
    target, name = _target(url, create=create, missing=missing)
    try:
        how: dict[str, Any] = {"pool_size": 10} if pooled else {"poolclass": sql.NullPool}
        engine = sql.create_engine(target, pool_pre_ping=target.get_backend_name() != "sqlite", **how)
    except ArgumentError:
        raise UsageError(f"{name}: a database must be an SQLite file or a postgresql://… address.") from None
    except ImportError:
        raise MissingDependency("PostgreSQL", "postgres") from None
    if target.get_backend_name() == "sqlite":
        sql.event.listen(engine, "connect", _prepare_sqlite)
    return engine, name


def begin_exclusively(connection: sql.Connection) -> None:
    """Lock an SQLite database before tables are created: Python begins no transaction for CREATE and ALTER.

    A process killed in between would leave half of the tables.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def now() -> str:
    """Return the current time, UTC, in ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _target(url: str | Path, *, create: bool, missing: str) -> tuple[sql.URL, str]:
    """Return the URL for SQLAlchemy, and its form without a password for messages."""
    if isinstance(url, Path) or "://" not in url:
        path = Path(url)
        if path.is_dir() or not path.parent.is_dir():
            raise UsageError(f"{path}: the database must be a file in an existing folder.")
        if not create and not path.exists():
            raise UsageError(f"{path}: {missing} (no such file).")
        return sql.URL.create("sqlite", database=str(path)), str(path)
    try:
        target = sql.make_url(url)
    except (ArgumentError, ValueError):
        raise UsageError("The database address must have the form postgresql://user@host/name.") from None
    if target.drivername in ("postgresql", "postgres"):
        target = target.set(drivername="postgresql+psycopg")
    return target, target.render_as_string(hide_password=True)


def _prepare_sqlite(connection: sqlite3.Connection, _: object) -> None:
    try:
        connection.execute("PRAGMA busy_timeout=20000")
        connection.execute("PRAGMA journal_mode=WAL")  # readers do not wait for writers
        connection.execute("PRAGMA synchronous=FULL")  # what is reported as saved is on the disk
    except UnicodeDecodeError:  # in SQLite's message, which quotes the file
        raise sqlite3.DatabaseError("malformed database schema") from None

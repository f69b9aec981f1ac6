"""Where answers are kept: every answer and every change is a row of its own, and no row is ever changed or removed.

A row counts as kept when it is on the disk, so neither a killed server nor a power cut loses what a rater was told is
saved. Every answer comes with a number that the rater's page has drawn at random; the same number twice is one row, so
a page that heard no reply sends again without doubling anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import DataError, MissingDependency, UsageError
from .answers import AnswerRow
from .campaign import Campaign

try:
    import sqlalchemy as sql
    from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError
except ImportError:
    raise MissingDependency("The database of a rating campaign", "web") from None

VERSION = 1
# What leads from a version of the tables to the next one. Rows are never touched, only added to.
MIGRATIONS: Mapping[int, Sequence[str]] = {}

_META = sql.MetaData()
_ABOUT = sql.Table(
    "tercet_about",
    _META,
    sql.Column("version", sql.Integer, nullable=False),
    sql.Column("campaign", sql.String(100), nullable=False),
)
_ANSWERS = sql.Table(
    "tercet_answers",
    _META,
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=True),
    sql.Column("request", sql.String(100), nullable=False, unique=True),
    sql.Column("rater", sql.String(200), nullable=False, index=True),
    sql.Column("item", sql.String(100), nullable=False),
    sql.Column("answer", sql.Text, nullable=False),
    sql.Column("seconds", sql.Float, nullable=False),
    sql.Column("client_time", sql.String(40), nullable=False),
    sql.Column("server_time", sql.String(40), nullable=False),
    sql.Column("client_version", sql.String(40), nullable=False),
    sqlite_autoincrement=True,
)
_ACCESS = sql.Table(
    "tercet_access",
    _META,
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=True),
    sql.Column("rater", sql.String(200), nullable=False),
    sql.Column("token_hash", sql.String(64), nullable=False),
    sql.Column("event", sql.String(10), nullable=False),
    sql.Column("server_time", sql.String(40), nullable=False),
    sqlite_autoincrement=True,
)


class StoredRecord(NamedTuple):
    """One answer with all that is kept of it. client_time: by the rater's own clock, which may be wrong."""

    number: int
    request: str
    rater: str
    item: str
    answer: Mapping[str, Any]
    seconds: float
    client_time: str
    server_time: str
    client_version: str


class Appended(NamedTuple):
    """number: of the row. again: whether this request had been kept before."""

    number: int
    again: bool


class Store:
    """The answers of one campaign. Made by `open`; to be used by many threads."""

    def __init__(self, engine: sql.Engine, name: str) -> None:
        self._engine = engine
        self.name = name

    @classmethod
    def open(cls, url: str | Path, campaign: Campaign, *, create: bool = True) -> Store:
        """The store at a database URL, or in an SQLite file, which is made if need be (unless `create` is False).

        It belongs to the campaign it was first opened for, and is refused to others. Older tables are brought forward.
        """
        target, name = _target(url, create=create)
        try:
            engine = sql.create_engine(target, pool_pre_ping=target.get_backend_name() != "sqlite", pool_size=10)
        except ArgumentError:
            raise UsageError(f"{name}: databases are SQLite files and postgresql://… addresses.") from None
        except ImportError:
            raise MissingDependency("PostgreSQL", "postgres") from None
        if target.get_backend_name() == "sqlite":
            sql.event.listen(engine, "connect", _prepare_sqlite)
        store = cls(engine, name)
        try:
            store._make_ready(campaign)
        except DBAPIError as error:
            engine.dispose()
            raise UsageError(f"The database {name} cannot be used: {error.orig}".strip()) from None
        except DataError:
            engine.dispose()
            raise
        return store

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def append(
        self,
        *,
        request: str,
        rater: str,
        item: str,
        answer: Mapping[str, Any],
        seconds: float,
        client_time: str = "",
        client_version: str = "",
    ) -> Appended:
        """Keep an answer; when this returns, it is on the disk. The same request again changes nothing.

        A request that was used for another rater, item or answer is refused (`DataError`): it must not seem kept.
        """
        values: dict[str, Any] = {
            "request": request,
            "rater": rater,
            "item": item,
            "answer": json.dumps(answer, allow_nan=False),
            "seconds": seconds,
            "client_time": client_time,
            "server_time": now(),
            "client_version": client_version,
        }
        try:
            with self._engine.begin() as connection:
                insert = _ANSWERS.insert().values(values).returning(_ANSWERS.c.number)
                return Appended(connection.execute(insert).scalar_one(), again=False)
        except IntegrityError:
            with self._engine.connect() as connection:
                query = sql.select(_ANSWERS.c.number, _ANSWERS.c.rater, _ANSWERS.c.item, _ANSWERS.c.answer)
                found = connection.execute(query.where(_ANSWERS.c.request == request)).one()
            if (found.rater, found.item, json.loads(found.answer)) != (rater, item, json.loads(values["answer"])):
                raise DataError("This request was used before, for something else.") from None
            return Appended(found.number, again=True)

    def records(self, rater: str | None = None) -> Iterator[StoredRecord]:
        """Yield all stored answers, or those of one rater, in the order in which they were stored."""
        query = sql.select(_ANSWERS).order_by(_ANSWERS.c.number)
        if rater is not None:
            query = query.where(_ANSWERS.c.rater == rater)
        with self._engine.connect() as connection:
            for row in connection.execute(query):
                values = row._asdict()
                yield StoredRecord(**values | {"answer": json.loads(values["answer"])})

    def rows(self) -> Iterator[AnswerRow]:
        """All answers, changed ones too, in the order in which they came."""
        for record in self.records():
            yield AnswerRow(record.rater, record.item, record.answer, record.seconds, record.server_time)

    def latest(self, rater: str) -> dict[str, Mapping[str, Any]]:
        """By item: the answer that the rater gave last."""
        return {record.item: record.answer for record in self.records(rater)}

    def last_number(self) -> int:
        """The number of the last row, 0 if there is none: as long as it stays, so does all that rows tell."""
        with self._engine.connect() as connection:
            return int(connection.execute(sql.select(sql.func.max(_ANSWERS.c.number))).scalar() or 0)

    def issue(self, rater: str, token_hash: str) -> None:
        """A further token is valid for this rater."""
        self._access([{"rater": rater, "token_hash": token_hash, "event": "issued"}])

    def revoke(self, rater: str, token_hashes: Sequence[str]) -> None:
        """These tokens end, for good."""
        self._access([{"rater": rater, "token_hash": value, "event": "revoked"} for value in token_hashes])

    def tokens(self, campaign: Campaign) -> dict[str, str]:
        """The raters' names by hashes of valid tokens: those of the campaign and issued since, less revoked ones."""
        valid = {rater.token_hash: rater.name for rater in campaign.raters if rater.token_hash}
        with self._engine.connect() as connection:
            events = connection.execute(sql.select(_ACCESS).order_by(_ACCESS.c.number)).all()
        known = {rater.name for rater in campaign.raters}
        valid |= {row.token_hash: row.rater for row in events if row.event == "issued" and row.rater in known}
        for row in events:
            if row.event == "revoked":
                valid.pop(row.token_hash, None)
        return valid

    def is_revoked(self, token_hash: str) -> bool:
        """Whether this token has ended, a rater's or the organiser's."""
        query = sql.select(_ACCESS.c.number).where(_ACCESS.c.token_hash == token_hash, _ACCESS.c.event == "revoked")
        with self._engine.connect() as connection:
            return connection.execute(query).first() is not None

    def _access(self, events: Sequence[Mapping[str, str]]) -> None:
        if events:
            with self._engine.begin() as connection:
                connection.execute(_ACCESS.insert(), [{**event, "server_time": now()} for event in events])

    def _make_ready(self, campaign: Campaign) -> None:
        with self._engine.begin() as connection:
            about = _about(connection)
            if connection.dialect.name == "sqlite" and (about is None or about.version < VERSION):
                # Python begins no transaction for CREATE and ALTER; killed among them, half of them would be done.
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                about = _about(connection)  # perhaps another process was faster
            if about is None:
                _META.create_all(connection)
                connection.execute(_ABOUT.insert().values(version=VERSION, campaign=campaign.id))
                return
            if about.campaign != campaign.id:
                raise DataError(
                    f"The database {self.name} holds the answers of another campaign ({about.campaign!r}, not "
                    f"{campaign.id!r}). Give every campaign its own, with --database."
                )
            if about.version > VERSION:
                raise DataError(
                    f"The database {self.name} has version {about.version}, made by a newer Tercet; this one knows "
                    f"version {VERSION}. Upgrade: pip install --upgrade tercet"
                )
            for version in range(about.version, VERSION):
                for statement in MIGRATIONS[version]:
                    connection.execute(sql.text(statement))
            if about.version < VERSION:
                connection.execute(_ABOUT.update().values(version=VERSION))


def default_database(campaign_path: str | Path) -> Path:
    """Where answers are kept if nothing else is said: beside the campaign, as campaign.json -> campaign.answers.db."""
    path = Path(campaign_path)
    return path.with_name(f"{path.name.removesuffix('.json')}.answers.db")


def now() -> str:
    """The time, UTC, ISO 8601 to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _about(connection: sql.Connection) -> Any:
    """Which campaign and version a database says it is of; None if it is new."""
    if not sql.inspect(connection).has_table(_ABOUT.name):
        return None
    return connection.execute(sql.select(_ABOUT)).first()


def _target(url: str | Path, *, create: bool) -> tuple[sql.URL, str]:
    """The address for SQLAlchemy, and how to call it in messages: without its password."""
    if isinstance(url, Path) or "://" not in url:
        path = Path(url)
        if path.is_dir() or not path.parent.is_dir():
            raise UsageError(f"{path}: a database needs the name of a file in a folder that exists.")
        if not create and not path.exists():
            raise UsageError(f"{path}: there are no answers yet (no such file).")
        return sql.URL.create("sqlite", database=str(path)), str(path)
    try:
        target = sql.make_url(url)
    except (ArgumentError, ValueError):
        raise UsageError("The address of the database is not of the form postgresql://user@host/name.") from None
    if target.drivername in ("postgresql", "postgres"):
        target = target.set(drivername="postgresql+psycopg")
    return target, target.render_as_string(hide_password=True)


def _prepare_sqlite(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout=20000")
    cursor.execute("PRAGMA journal_mode=WAL")  # readers do not wait for writers
    cursor.execute("PRAGMA synchronous=FULL")  # an answer is on the disk before the rater hears that it is saved
    cursor.close()

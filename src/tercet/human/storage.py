"""The database of answers. Every answer and every change is a new row; no row is ever changed or removed.

An answer is reported as saved only when it is on the disk, so that neither a killed server nor a power cut loses it.
Every answer has a random request number, chosen by the rater's page. The same number is stored once, so that a page can
send an answer again if it got no reply.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..data.databases import begin_exclusively, now, open_engine
from ..errors import DataError, MissingDependency, UsageError
from .answers import AnswerRow
from .campaign import Campaign, hashed

try:
    import sqlalchemy as sql
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
    from sqlalchemy.schema import CreateSchema
except ImportError:
    raise MissingDependency("The database of a rating campaign", "web") from None

VERSION = 1

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

MOST_REVISIONS = 50  # of an answer
# Not names that a rater can have, since they are not printable. Tokens are issued to them as to raters.
ORGANISER, VIEWER = "\torganiser", "\tviewer"


class StoredRecord(NamedTuple):
    """One stored answer with all columns. client_time: by the clock of the rater's computer, which may be wrong."""

    number: int
    request: str
    rater: str
    item: str
    answer: Mapping[str, Any]
    seconds: float
    client_time: str
    server_time: str
    client_version: str


def answer_row(record: StoredRecord) -> AnswerRow:
    """Return the columns of a record from which judgements are made."""
    return AnswerRow(record.rater, record.item, record.answer, record.seconds, record.server_time)


class Appended(NamedTuple):
    """The number of the row, and whether this request was stored before (again)."""

    number: int
    again: bool


class Store:
    """The database of one campaign's answers and tokens. Created by `open`. Safe for use by several threads."""

    def __init__(self, engine: sql.Engine, name: str) -> None:
        self._engine = engine
        self._schema = ""  # the default one
        self.name = name

    @classmethod
    def open(cls, url: str | Path, campaign: Campaign, *, create: bool = True, shared: bool = False) -> Store:
        """Open a database URL or an SQLite file, which is created if it does not exist (unless `create` is False).

        A database belongs to the campaign that it was first opened for; other campaigns get a DataError. Tables of
        older versions are upgraded. shared: a PostgreSQL database may hold several campaigns. Each one that is opened
        in this way gets a schema of its own, and is found there later, unless its tables are in the default schema.
        """
        engine, name = open_engine(url, create=create, missing="there are no answers yet")
        store = cls(engine, name)
        try:
            if engine.dialect.name == "postgresql":
                store._choose_schema(campaign, shared)
            store._make_ready(campaign)
        except DBAPIError as error:
            engine.dispose()
            raise UsageError(f"The database {name} cannot be used: {error.orig}".strip()) from None
        except DataError:
            engine.dispose()
            raise
        except (TypeError, ValueError, SQLAlchemyError) as error:  # tables that are not ours, or damaged
            engine.dispose()
            raise DataError(f"The database {name} is damaged: {error}") from None
        return store

    def close(self) -> None:
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
        """Store an answer. When this returns, it is on the disk. Storing the same request again changes nothing.

        Of a rater's answers to an item the newest MOST_REVISIONS are kept, so that nobody fills the disk.
        Raises DataError if the request number was used before with another rater, item or answer.
        """
        values: dict[str, Any] = {
            "request": request, "rater": rater, "item": item, "answer": json.dumps(answer, allow_nan=False),
            "seconds": seconds, "client_time": client_time, "server_time": now(), "client_version": client_version,
        }  # fmt: skip
        try:
            with self._engine.begin() as connection:
                insert = _ANSWERS.insert().values(values).returning(_ANSWERS.c.number)
                number = connection.execute(insert).scalar_one()
                mine = (_ANSWERS.c.rater == rater) & (_ANSWERS.c.item == item)
                newest = sql.select(_ANSWERS.c.number).where(mine).order_by(_ANSWERS.c.number.desc())
                oldest = connection.execute(newest.offset(MOST_REVISIONS - 1).limit(1)).scalar_one_or_none()
                if oldest is not None:
                    connection.execute(_ANSWERS.delete().where(mine & (_ANSWERS.c.number < oldest)))
                return Appended(number, again=False)
        except IntegrityError:
            with self._engine.connect() as connection:
                query = sql.select(_ANSWERS.c.number, _ANSWERS.c.rater, _ANSWERS.c.item, _ANSWERS.c.answer)
                found = connection.execute(query.where(_ANSWERS.c.request == request)).one()
            if (found.rater, found.item, json.loads(found.answer)) != (rater, item, json.loads(values["answer"])):
                raise DataError("This request number was used before for another answer.") from None
            return Appended(found.number, again=True)

    def records(self, rater: str | None = None) -> Iterator[StoredRecord]:
        """Yield all stored answers, or those of one rater, in the order in which they were stored."""
        query = sql.select(_ANSWERS).order_by(_ANSWERS.c.number)
        if rater is not None:
            query = query.where(_ANSWERS.c.rater == rater)
        with self._reading() as connection:
            for row in connection.execute(query):
                yield _record(row._asdict())

    @contextmanager
    def _reading(self) -> Iterator[sql.Connection]:
        """Connect for reading. A damaged database, or one that cannot be reached, is a DataError."""
        try:
            with self._engine.connect() as connection:
                yield connection
        except DBAPIError as error:
            raise DataError(f"The database {self.name} cannot be read: {error.orig}. Is it damaged?") from None
        except (ValueError, TypeError, RecursionError) as error:  # JSON, numbers or texts that are none
            raise DataError(f"The database {self.name} is damaged: {error}.") from None

    def rows(self) -> Iterator[AnswerRow]:
        return map(answer_row, self.records())

    def latest(self, rater: str) -> dict[str, Mapping[str, object]]:
        return {record.item: record.answer for record in self.records(rater)}

    def last_number(self) -> int:
        """Return the number of the last row, 0 if there is none. It changes whenever an answer is stored."""
        with self._reading() as connection:
            return int(connection.execute(sql.select(sql.func.max(_ANSWERS.c.number))).scalar() or 0)

    def judged(self) -> dict[str, dict[str, str]]:
        """Return, by rater and item, the time of the last answer. For progress, without reading the answers."""
        columns = _ANSWERS.c.rater, _ANSWERS.c.item
        query = sql.select(*columns, sql.func.max(_ANSWERS.c.server_time)).group_by(*columns)
        found: dict[str, dict[str, str]] = {}
        with self._reading() as connection:
            for rater, item, when in connection.execute(query):
                found.setdefault(rater, {})[item] = when
        return found

    def issue(self, rater: str, token_hash: str) -> None:
        self._access([{"rater": rater, "token_hash": token_hash, "event": "issued"}])

    def revoke(self, rater: str, token_hashes: Sequence[str]) -> None:
        self._access([{"rater": rater, "token_hash": value, "event": "revoked"} for value in token_hashes])

    def tokens(self, campaign: Campaign) -> dict[str, str]:
        """Return who holds each valid token, by its hash: raters, ORGANISER, VIEWER."""
        valid = {rater.token_hash: rater.name for rater in campaign.raters} | {campaign.organiser_hash: ORGANISER}
        known = {*(rater.name for rater in campaign.raters), ORGANISER, VIEWER}
        with self._reading() as connection:
            events = connection.execute(sql.select(_ACCESS).order_by(_ACCESS.c.number)).all()
        valid |= {row.token_hash: row.rater for row in events if row.event == "issued" and row.rater in known}
        revoked = {"", *(row.token_hash for row in events if row.event == "revoked")}
        return {token: who for token, who in valid.items() if token not in revoked}

    def backup(self, to: str | Path) -> None:
        """Write a consistent copy of an SQLite database, also while a server uses it. The file must not exist."""
        if self._engine.dialect.name != "sqlite":
            url = self._engine.url
            plain = sql.URL.create("postgresql", url.username, None, url.host, url.port, url.database, url.query)
            schema = [f"--schema={self._schema}"] if self._schema else []
            dump = ["pg_dump", "--format=custom", f"--file={to}", *schema, plain.render_as_string()]
            restore = ["pg_restore", "--dbname=postgresql://…/ANOTHER", str(to)]
            raise UsageError(
                f"PostgreSQL copies its databases itself, also while a server is running: {shlex.join(dump)}\n"
                f"To go back to the copy, restore it into an empty database: {shlex.join(restore)}"
            )
        with self._reading() as connection:
            connection.exec_driver_sql("VACUUM INTO ?", (str(to),))

    def _access(self, events: Sequence[Mapping[str, str]]) -> None:
        if events:
            with self._engine.begin() as connection:
                connection.execute(_ACCESS.insert(), [{**event, "server_time": now()} for event in events])

    def _choose_schema(self, campaign: Campaign, shared: bool) -> None:
        """Use the campaign's own schema if it has one, or if the database is shared; otherwise the default schema."""
        own = f"tercet_{hashed(campaign.id)[:16]}"
        with self._engine.begin() as connection:
            about = _about(connection)
            if about is not None and about.campaign == campaign.id:
                return
            if not sql.inspect(connection).has_schema(own):
                if not shared:
                    return
                connection.execute(CreateSchema(own, if_not_exists=True))
        sql.event.listen(self._engine, "connect", partial(_use_schema, own))
        self._engine.dispose()  # connections made before have the default schema
        self._schema = own

    def _make_ready(self, campaign: Campaign) -> None:
        with self._engine.begin() as connection:
            about = _about(connection)
            if about is None:
                begin_exclusively(connection)
                about = _about(connection)  # another process may have created the tables meanwhile
            if about is None:
                _META.create_all(connection)
                connection.execute(_ABOUT.insert().values(version=VERSION, campaign=campaign.id))
                return
            if about.campaign != campaign.id:
                raise DataError(
                    f"The database {self.name} holds the answers of another campaign ({about.campaign!r}, not "
                    f"{campaign.id!r}). Choose another database with `database`."
                )
            if about.version > VERSION:
                raise DataError(
                    f"The database {self.name} has version {about.version}, from a newer Tercet; this one reads up to "
                    f"version {VERSION}. Upgrade: pip install --upgrade tercet"
                )


def _record(values: dict[str, Any]) -> StoredRecord:
    """Return a stored answer. Raises ValueError if a column has something else than was written."""
    answer = json.loads(values["answer"])
    texts = [values[column] for column in ("request", "rater", "item", "server_time")]
    if not isinstance(answer, dict) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"answer {values['number']} is not one")
    return StoredRecord(**values | {"answer": answer, "seconds": float(values["seconds"])})


def open_store(
    campaign_path: str | Path,
    campaign: Campaign,
    database: str | Path | None = None,
    *,
    create: bool = True,
    shared: bool = False,
) -> Store:
    """Open the database of a campaign, by default the file beside the campaign. create, shared: see `Store.open`."""
    if shared and database is not None and "://" not in str(database):
        raise UsageError(
            f"{database}: a file holds the answers of one campaign. Leave `database` out for a file beside each "
            "campaign, or give a postgresql://… address, which can hold several."
        )
    url = default_database(campaign_path) if database is None else database
    return Store.open(url, campaign, create=create, shared=shared)


def default_database(campaign_path: str | Path) -> Path:
    """Return the default database, a file beside the campaign: campaign.answers.db for campaign.json."""
    path = Path(campaign_path)
    return path.with_name(f"{path.name.removesuffix('.json')}.answers.db")


def _about(connection: sql.Connection) -> sql.Row[tuple[object, ...]] | None:
    """Return the campaign and the version that a database records, or None if the database is new."""
    if not sql.inspect(connection).has_table(_ABOUT.name):
        return None
    return connection.execute(sql.select(_ABOUT)).first()


def _use_schema(schema: str, connection: DBAPIConnection, _: object) -> None:
    """Set the schema of a new connection, outside of a transaction, because a rollback would undo it."""
    usual, connection.autocommit = connection.autocommit, True
    connection.execute(f'SET SESSION search_path TO "{schema}"')
    connection.autocommit = usual

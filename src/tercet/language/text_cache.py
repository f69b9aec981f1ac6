"""A cache of results by text: one SQLite file in a folder, which several runs may share."""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from ..errors import DataError, UsageError

Kept = TypeVar("Kept")

WAIT = 60.0  # seconds to wait for another run to finish writing
MOST = 500  # keys per query; SQLite has a limit
UNWRITABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_PERM)


class TextCache(ABC, Generic[Kept]):
    """Results of one program in a folder. kind: the name of its file. origin: all they depend on beside the text."""

    kind: ClassVar[str]
    done_again: ClassVar[str]

    def __init__(self, folder: str | Path, origin: str) -> None:
        self.path = Path(folder) / f"{self.kind}s.sqlite"
        self.origin = origin
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:  # also if the name is too long or contains a NUL
            why = getattr(error, "strerror", None) or error
            raise UsageError(f"Cannot create the cache folder {str(folder)[:200]!r}: {why}.") from None
        with self._connection() as connection:
            connection.execute(
                f"CREATE TABLE IF NOT EXISTS {self.kind}s (key BLOB PRIMARY KEY, {self.kind} BLOB) WITHOUT ROWID"
            )

    @abstractmethod
    def pack(self, value: Kept) -> bytes:
        """Return the bytes of a result."""

    @abstractmethod
    def unpack(self, text: str, data: bytes) -> Kept | None:
        """Return the result of a text from its bytes; None if they are of another text."""

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=WAIT)) as connection, connection:
                yield connection
        except sqlite3.DatabaseError as error:
            advice = f"If no other run is using it, delete it. {self.done_again}"
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in UNWRITABLE:
                advice = "Use a folder that is writable and has free disk space."
            raise DataError(f"The cache {self.path} cannot be used: {error}. {advice}") from None

    def key(self, text: str) -> bytes:
        return sha256(f"{self.origin}{text}".encode()).digest()

    def load(self, texts: Sequence[str]) -> dict[str, Kept]:
        keys = {self.key(text): text for text in texts}
        found: dict[str, Kept] = {}
        asked = list(keys)
        with self._connection() as connection:
            for first in range(0, len(asked), MOST):
                part = asked[first : first + MOST]
                question = f"SELECT key, {self.kind} FROM {self.kind}s WHERE key IN ({','.join('?' * len(part))})"
                for key, data in connection.execute(question, part):
                    if (value := self.unpack(keys[key], data)) is not None:
                        found[keys[key]] = value
        return found

    def keep(self, values: Mapping[str, Kept]) -> None:
        rows = [(self.key(text), self.pack(value)) for text, value in values.items()]
        with self._connection() as connection:
            connection.executemany(f"INSERT OR REPLACE INTO {self.kind}s VALUES (?, ?)", rows)

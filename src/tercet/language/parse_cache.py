"""A cache of parses in a folder: one SQLite file, in which the key is the text, the parser and its version.

The parser's own tree is stored. Collapsed dependencies are computed again after loading, so that they always follow
the current table. Every batch is written completely or not at all, and several runs may share a folder.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

from ..errors import DataError, UsageError
from . import conllu
from .sentence import Sentence

FORMAT = 1  # increased when parses stored in an earlier format must not be read
WAIT = 60.0  # seconds to wait for another run to finish writing
MOST = 500  # keys per query; SQLite has a limit
UNWRITABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_PERM)


class ParseCache:
    """The cached parses of one parser in a folder."""

    def __init__(self, folder: str | Path, backend: str, version: str) -> None:
        self.path = Path(folder) / "parses.sqlite"
        self.origin = f"{FORMAT}\n{backend}\n{version}\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:  # also if the name is too long or contains a NUL
            why = getattr(error, "strerror", None) or error
            raise UsageError(f"Cannot create the cache folder {str(folder)[:200]!r}: {why}.") from None
        with self._connection() as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS parses (key BLOB PRIMARY KEY, parse BLOB) WITHOUT ROWID")

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=WAIT)) as connection, connection:
                yield connection
        except sqlite3.DatabaseError as error:
            advice = "If no other run is using it, delete it. Texts are then parsed again."
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in UNWRITABLE:
                advice = "Use a folder that is writable and has free disk space."
            raise DataError(f"The cache {self.path} cannot be used: {error}. {advice}") from None

    def key(self, text: str) -> bytes:
        return sha256(f"{self.origin}{text}".encode()).digest()

    def load(self, texts: Sequence[str]) -> dict[str, Sentence]:
        """Return the cached parses of these texts, by text."""
        keys = {self.key(text): text for text in texts}
        found: dict[str, Sentence] = {}
        asked = list(keys)
        with self._connection() as connection:
            for first in range(0, len(asked), MOST):
                part = asked[first : first + MOST]
                question = f"SELECT key, parse FROM parses WHERE key IN ({','.join('?' * len(part))})"
                for key, parse in connection.execute(question, part):
                    sentence = self._unpack(parse)
                    if sentence.text == keys[key]:
                        found[keys[key]] = sentence
        return found

    def save(self, sentences: Sequence[Sentence]) -> None:
        """Store parses, replacing those already in the cache."""
        rows = [
            (self.key(sentence.text), zlib.compress(conllu.format_sentence(sentence).encode(), 1))
            for sentence in sentences
        ]
        with self._connection() as connection:
            connection.executemany("INSERT OR REPLACE INTO parses VALUES (?, ?)", rows)

    def _unpack(self, parse: bytes) -> Sentence:
        try:
            lines = zlib.decompress(parse).decode("utf-8").split("\n")
            return next(conllu.parse_lines(lines, "a parse in it"))
        except (zlib.error, UnicodeDecodeError, TypeError, StopIteration, DataError) as error:
            why = str(error).rstrip(".") or "a parse in it is empty"
            raise DataError(f"The cache {self.path} is damaged: {why}. Delete it.") from None

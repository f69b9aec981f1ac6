"""Parses kept in a folder and reused: one file, in which a parse is found by its text, its parser and its version.

What is kept is the parser's own tree; the graph of dependencies is made anew, so that it always follows the current
table. Every batch is written whole or not at all, and several runs may share a folder.
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

FORMAT = 1  # raised when kept parses of an earlier form must not be read
WAIT = 60.0  # seconds for another run to finish writing
MOST = 500  # keys of one question; SQLite has a limit
UNWRITABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_PERM)


class ParseCache:
    """The parses of one parser in a folder."""

    def __init__(self, folder: str | Path, backend: str, version: str) -> None:
        self.path = Path(folder) / "parses.sqlite"
        self.origin = f"{FORMAT}\n{backend}\n{version}\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:  # also a name that is too long or holds a NUL
            why = getattr(error, "strerror", None) or error
            raise UsageError(f"The cache folder {str(folder)[:200]!r} cannot be made: {why}.") from None
        with self._connection() as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS parses (key BLOB PRIMARY KEY, parse BLOB) WITHOUT ROWID")

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=WAIT)) as connection, connection:
                yield connection
        except sqlite3.DatabaseError as error:
            advice = "If no other run is using it, delete it: parses are made anew."
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in UNWRITABLE:
                advice = "Name a folder that can be written, on a disk that has room."
            raise DataError(f"The cache {self.path} cannot be used: {error}. {advice}") from None

    def key(self, text: str) -> bytes:
        return sha256(f"{self.origin}{text}".encode()).digest()

    def load(self, texts: Sequence[str]) -> dict[str, Sentence]:
        """The parses that are there, by text."""
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
        """Keep parses; those that are there already are replaced."""
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
            raise DataError(f"The cache {self.path} is damaged: {why}. Delete it: parses are made anew.") from None

"""Jobs that were accepted, in a file (SQLite): they outlive the server, and their results are kept for some time."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError
from .requests import Request
from .working import Answer

VERSION = 1
ATTEMPTS = 3  # times that a job is begun: one that ends the server each time must not be begun for ever
LOST = f"The server ended {ATTEMPTS} times while this job ran, and gave it up."
_TABLE = """CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, caller TEXT NOT NULL, task TEXT NOT NULL, made REAL NOT NULL, ended REAL,
    attempts INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL, request BLOB,
    status INTEGER, kind TEXT, code INTEGER, warnings TEXT, seconds REAL, body BLOB)"""


@dataclass(frozen=True)
class Kept:
    """A job in the file. request: None when it has ended."""

    id: str
    caller: str
    task: str
    made: float
    state: str
    request: Request | None
    answer: Answer | None


class JobFile:
    """The file. Every change is one transaction, written before the caller hears of it."""

    def __init__(self, path: Path) -> None:
        try:
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute(_TABLE)
            known = self._db.execute("PRAGMA user_version").fetchone()[0]
            self._db.execute(f"PRAGMA user_version={VERSION}")
        except sqlite3.Error as error:
            raise UsageError(f"{path} cannot be used for jobs: {error}.") from None
        if known > VERSION:
            raise UsageError(f"{path} is of a newer Tercet. Upgrade: pip install --upgrade tercet")

    def close(self) -> None:
        self._db.close()

    def add(self, job: str, caller: str, request: Request) -> None:
        row = job, caller, request.task, time.time(), "queued", request.pack()
        self._db.execute("INSERT INTO jobs (id, caller, task, made, state, request) VALUES (?, ?, ?, ?, ?, ?)", row)

    def begin(self, job: str) -> None:
        self._db.execute("UPDATE jobs SET attempts = attempts + 1, state = 'running' WHERE id = ?", (job,))

    def end(self, job: str, state: str, answer: Answer) -> None:
        """Keep the answer, and forget the texts."""
        warnings = "\n".join(answer.warnings)
        row = state, time.time(), answer.status, answer.kind, answer.code, warnings, answer.seconds, answer.body, job
        self._db.execute(
            "UPDATE jobs SET state = ?, ended = ?, status = ?, kind = ?, code = ?, warnings = ?, seconds = ?, "
            "body = ?, request = NULL WHERE id = ?",
            row,
        )

    def find(self, job: str) -> Kept | None:
        found = self._db.execute(f"{_SELECT} WHERE id = ?", (job,)).fetchone()
        return _kept(found) if found else None

    def of(self, caller: str) -> list[Kept]:
        """Return the jobs of a caller, the newest first, without their answers' bodies."""
        query = _SELECT.replace("body", "x''") + " WHERE caller = ? ORDER BY made DESC LIMIT 1000"
        return [_kept(row, texts=False) for row in self._db.execute(query, (caller,))]

    def unfinished(self) -> Iterator[Kept]:
        """Yield the jobs to go on with after a start. Those that were begun too often are ended."""
        rows = self._db.execute("SELECT id FROM jobs WHERE ended IS NULL AND attempts >= ?", (ATTEMPTS,)).fetchall()
        for (job,) in rows:
            self.end(job, "failed", Answer.error(LOST, 500))
        for row in self._db.execute(f"{_SELECT} WHERE ended IS NULL ORDER BY made").fetchall():
            yield _kept(row)

    def forget(self, hours: float) -> None:
        """Delete jobs that ended longer ago than this."""
        self._db.execute("DELETE FROM jobs WHERE ended < ?", (time.time() - 3600 * hours,))


_SELECT = "SELECT id, caller, task, made, state, request, status, kind, code, warnings, seconds, body FROM jobs"


def _kept(row: tuple, *, texts: bool = True) -> Kept:  # type: ignore[type-arg]
    job, caller, task, made, state, request, status, kind, code, warnings, seconds, body = row
    answer = None
    if status is not None:
        answer = Answer(status, body or b"", kind, code, tuple(filter(None, warnings.split("\n"))), seconds)
    return Kept(job, caller, task, made, state, Request.unpack(request) if request and texts else None, answer)

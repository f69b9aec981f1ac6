"""The queue of requests, the file of jobs that outlive the server, and the worker processes."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import shutil
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple

from starlette.exceptions import HTTPException

from ...errors import UsageError
from .requests import Request
from .working import Answer, Settings, work

log = logging.getLogger(__name__)
T = TypeVar("T")
Ts = TypeVarTuple("Ts")

VERSION = 1
ATTEMPTS = 3  # times that a job is begun: one that ends the server each time must not be begun for ever
LOST = f"The server ended {ATTEMPTS} times while this job ran, and gave it up."
_TABLE = """CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, caller TEXT NOT NULL, task TEXT NOT NULL, made REAL NOT NULL, ended REAL,
    attempts INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL, request BLOB,
    status INTEGER, kind TEXT, code INTEGER, warnings TEXT, seconds REAL, body BLOB)"""
CANCELLED = Answer.error("The job was cancelled.", 409)
QUEUED, RUNNING, DONE, FAILED, STOPPED = "queued", "running", "done", "failed", "cancelled"
TOGETHER = 16  # requests that are encoded together
SMALL = 256 * 1024  # bytes of a request that others may join


@dataclass(eq=False)
class Job:
    """A request on its way, or one that was answered. alone: not to be encoded with others.

    kept: whether it is in the file of jobs. There an answered one has no texts any more.
    """

    request: Request
    caller: str
    id: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    state: str = QUEUED
    progress: tuple[int, int | None] = (0, None)
    made: float = field(default_factory=time.time)
    kept: bool = False
    alone: bool = False
    answer: Answer | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def joins(self, other: Job) -> bool:
        """Tell whether texts of both may be encoded together."""
        mine, same = self.request, self.request.encoders == other.request.encoders != ()
        return same and not (self.alone or other.alone) and max(mine.size, other.request.size) <= SMALL


class JobFile:
    """The file. Every change is one transaction, written before the caller hears of it."""

    def __init__(self, path: Path) -> None:
        try:
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute(_TABLE)
            known = self._db.execute("PRAGMA user_version").fetchone()[0]
            self._db.execute(f"PRAGMA user_version={max(known, VERSION)}")
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

    def find(self, job: str) -> Job | None:
        found = self._db.execute(f"{_SELECT} WHERE id = ?", (job,)).fetchone()
        return _job(*found) if found else None

    def of(self, caller: str) -> list[Job]:
        """Return the jobs of a caller, the newest first, without their answers' bodies."""
        query = _SELECT.replace("body", "x''") + " WHERE caller = ? ORDER BY made DESC LIMIT 1000"
        return [_job(*row, texts=False) for row in self._db.execute(query, (caller,))]

    def unfinished(self) -> Iterator[Job]:
        """Yield the jobs to go on with after a start. Those that were begun too often are ended."""
        rows = self._db.execute("SELECT id FROM jobs WHERE ended IS NULL AND attempts >= ?", (ATTEMPTS,)).fetchall()
        for (job,) in rows:
            self.end(job, "failed", Answer.error(LOST, 500))
        for row in self._db.execute(f"{_SELECT} WHERE ended IS NULL ORDER BY made").fetchall():
            yield _job(*row)

    def forget(self, hours: float) -> None:
        """Delete jobs that ended longer ago than this."""
        self._db.execute("DELETE FROM jobs WHERE ended < ?", (time.time() - 3600 * hours,))


_SELECT = "SELECT id, caller, task, made, state, request, status, kind, code, warnings, seconds, body FROM jobs"


def _job(
    id: str, caller: str, task: str, made: float, state: str, packed: bytes | None, *facts: Any, texts: bool = True
) -> Job:
    request, answer = Request.unpack(packed) if packed and texts else Request(task, {}, {}), None
    status, kind, code, warnings, seconds, body = facts
    if status is not None:
        answer = Answer(status, body or b"", kind, code, tuple(filter(None, warnings.split("\n"))), seconds)
    return Job(request, caller, id, state, made=made, kept=True, alone=True, answer=answer)


@dataclass(frozen=True)
class Limits:
    """Limits of the server: workers, requests that wait, bytes of one request; seconds and bytes of memory of one."""

    workers: int = 1
    queue: int = 64
    size: int = 32 << 20
    seconds: float = 600.0
    memory: int = 4 << 30
    keep: float = 24.0  # hours that results are kept


class Worker:
    """One worker process. It is replaced when it dies, and when its request takes too long or is cancelled."""

    def __init__(self, folder: Path, cache: Path | None, memory: int) -> None:
        self.settings = Settings(folder, cache, memory, os.getpid())
        self.restarts = -1
        self.batch: Sequence[Job] = ()
        self.start()

    def start(self) -> None:
        shutil.rmtree(self.settings.folder, ignore_errors=True)
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, self.settings), daemon=True)
        self.process.start()
        theirs.close()
        self.ready = False
        self.restarts += 1

    def replace(self) -> None:
        self.process.kill()
        self.process.join()
        self.start()  # the old connection is closed when nobody reads from it any more

    def memory(self) -> int:
        """Return the bytes that the process has in memory; 0 if that is not known."""
        try:
            return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, IndexError):
            return 0


class Queue:
    """What waits and what runs. Used in the server's event loop only."""

    def __init__(self, folder: Path, cache: Path | None, limits: Limits) -> None:
        self.folder, self.cache, self.limits = folder, cache, limits
        self.waiting: deque[Job] = deque()
        self.jobs: dict[str, Job] = {}  # that have not ended, and that nobody has fetched yet
        self.workers: list[Worker] = []
        self.mean = 1.0  # seconds of a request
        self.batched = 0  # requests that were encoded with others
        self._file = JobFile(folder / "jobs.db")
        self._changed = asyncio.Condition()
        self._tasks: list[asyncio.Task[None]] = []
        self._threads = ThreadPoolExecutor(2 * limits.workers + 1, "tercet-serve")

    async def start(self) -> None:
        """Start the workers, and go on with jobs of an earlier run."""
        for job in self._file.unfinished():
            job.state = QUEUED
            self.jobs[job.id] = job
            self.waiting.append(job)
        for number in range(self.limits.workers):
            worker = Worker(self.folder / f"worker-{number}", self.cache, self.limits.memory)
            self.workers.append(worker)
            self._tasks.append(asyncio.create_task(self._serve(worker)))
        self._tasks.append(asyncio.create_task(self._tidy()))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        for worker in self.workers:
            worker.process.kill()
            shutil.rmtree(worker.settings.folder, ignore_errors=True)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._threads.shutdown(wait=False)
        self._file.close()

    # --- callers ------------------------------------------------------------------

    def check_room(self, size: int = 0) -> None:
        """Raise HTTP 429 if the queue has no place for a request of this size; Retry-After has the seconds to wait."""
        waiting = sum(job.request.size for job in self.waiting)
        if len(self.waiting) >= self.limits.queue or waiting + size > 8 * self.limits.size:
            seconds = max(1, min(60, round(len(self.waiting) * self.mean / max(1, self.limits.workers))))
            text = f"Many requests are waiting. Try again in {seconds} seconds."
            raise HTTPException(429, text, {"Retry-After": str(seconds)})

    async def submit(self, request: Request, caller: str, *, keep: bool) -> Job:
        """Put a request into the queue. keep: it is finished even if the server is ended and started again."""
        self.check_room(request.size)
        job = Job(request, caller)
        self.jobs[job.id] = job
        if keep:
            await self.keep(job)
        async with self._changed:
            self.waiting.append(job)
            self._changed.notify()
        return job

    async def keep(self, job: Job) -> None:
        """Write a job into the file, so that it outlives the server."""
        if not job.kept:
            job.kept = True
            await self._in_thread(self._file.add, job.id, job.caller, job.request)
            if job.answer is not None:  # meanwhile
                self._file.end(job.id, job.state, job.answer)

    def drop(self, job: Job) -> None:
        """Forget a job whose answer was given to its caller."""
        self.jobs.pop(job.id, None)

    def find(self, number: str, caller: str | None = None) -> Job | None:
        """Return a job, if it is of this caller."""
        found = self.jobs.get(number) or self._file.find(number)
        return found if found is not None and caller in (None, found.caller) else None

    def of(self, caller: str) -> list[Job]:
        return [self.jobs.get(each.id, each) for each in self._file.of(caller)]

    def cancel(self, job: Job) -> None:
        """Stop a job, wherever it is. A worker that runs it is replaced."""
        if job in self.waiting:
            self.waiting.remove(job)
        if job.state in (QUEUED, RUNNING):
            busy = [worker for worker in self.workers if job in worker.batch]  # none while the job waits
            self._end(job, CANCELLED, STOPPED)
            for worker in busy:
                worker.process.kill()

    # --- workers ------------------------------------------------------------------

    async def _in_thread(self, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    async def _next(self) -> list[Job]:
        """Wait for requests: one, or several that use the same encoders."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.waiting)
            first = self.waiting.popleft()
            others = [job for job in self.waiting if job.joins(first)][: TOGETHER - 1]
            for job in others:
                self.waiting.remove(job)
            return [first, *others]

    async def _serve(self, worker: Worker) -> None:
        while True:
            if not worker.ready:
                try:
                    await self._in_thread(worker.connection.recv)
                except (EOFError, OSError):
                    log.error("A worker process could not start.")
                    await asyncio.sleep(2)
                    worker.replace()
                    continue
                worker.ready = True
            batch = await self._next()
            worker.batch = batch
            await self._run(worker, batch)
            worker.batch = ()
            if self.limits.memory and worker.memory() > 0.75 * self.limits.memory:
                worker.replace()

    async def _run(self, worker: Worker, batch: Sequence[Job]) -> None:
        left = {job.id: job for job in batch}
        self.batched += len(batch) if len(batch) > 1 else 0
        for job in batch:
            job.state = RUNNING
            if job.kept:
                self._file.begin(job.id)
        loop = asyncio.get_running_loop()
        ends = loop.time() + self.limits.seconds
        try:
            await self._in_thread(worker.connection.send, [(job.id, job.request) for job in batch])
            while left:
                async with asyncio.timeout_at(ends):
                    kind, number, value = await self._in_thread(worker.connection.recv)
                if kind == "progress" and number in left:
                    left[number].progress = value
                elif kind == "answer":
                    self._end(left.pop(number), value, DONE if value.status < 500 else FAILED)
                    ends = loop.time() + self.limits.seconds
        except TimeoutError:
            text = f"The request took longer than {self.limits.seconds:g} seconds, the limit of this server."
            self._lost(worker, left, Answer.error(text, 422))
        except (EOFError, OSError):
            text = "The process that answered this request died, perhaps as memory ran out."
            self._lost(worker, left, Answer.error(text, 500))

    def _lost(self, worker: Worker, left: dict[str, Job], answer: Answer) -> None:
        """Replace a worker. A request that was alone gets an error; of several, each is tried again alone."""
        worker.replace()
        for job in reversed([job for job in left.values() if job.state == RUNNING]):
            if len(left) == 1:
                self._end(job, answer, FAILED)
            else:
                job.state, job.alone = QUEUED, True
                self.waiting.appendleft(job)

    def _end(self, job: Job, answer: Answer, state: str) -> None:
        if job.answer is not None:
            return  # it was cancelled
        job.answer, job.state = answer, state
        if state == DONE:
            self.mean += 0.1 * (answer.seconds - self.mean)
        if job.kept:
            self._file.end(job.id, state, answer)
            self.jobs.pop(job.id, None)
        job.ended.set()

    async def _tidy(self) -> None:
        while True:
            with contextlib.suppress(OSError):
                self._file.forget(self.limits.keep)
                if self.cache is not None:
                    await self._in_thread(shrink, self.cache)
            await asyncio.sleep(600)


def shrink(folder: Path, most: int = 2 << 30) -> None:
    """Delete the files of a cache that were not used for longest, until the rest is no larger than this."""
    files = sorted((each.stat().st_mtime, each.stat().st_size, each) for each in folder.rglob("*") if each.is_file())
    size = sum(each[1] for each in files)
    for _, bytes_, path in files:
        if size <= most:
            return
        path.unlink(missing_ok=True)
        size -= bytes_

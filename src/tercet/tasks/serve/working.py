"""The worker processes: each runs the command in an empty folder with a request's files; models stay loaded."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...errors import TercetError
from ...options import declared
from .requests import TASKS, Request, command_of

ARCHIVE = "scores.npz"
TYPES = {"json": "application/json", "html": "text/html; charset=utf-8", "csv": "text/csv; charset=utf-8",
         "tsv": "text/tab-separated-values; charset=utf-8"}  # fmt: skip
BINARY = "application/octet-stream"
INVALID, UNPROCESSABLE, FAILED = 400, 422, 500


@dataclass(frozen=True)
class Answer:
    """An answer: status of HTTP, body, its type; the exit code of the command, its warnings, and how long it took."""

    status: int
    body: bytes
    kind: str = TYPES["json"]
    code: int = 0
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0

    @classmethod
    def error(cls, text: str, status: int) -> Answer:
        """Return an error as JSON."""
        return cls(status, json.dumps({"error": text}, ensure_ascii=False).encode("utf-8", "replace"))


@dataclass(frozen=True)
class Settings:
    """What a worker may use. folder: its own. cache: of counts. memory: bytes, 0 for no limit."""

    folder: Path
    cache: Path | None
    memory: int
    parent: int


def work(connection: Connection, settings: Settings) -> None:
    """Answer batches of requests until the server closes the connection."""
    _prepare(settings)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the server has gone
        connection.send(("ready", "", None))
        while True:
            batch: list[tuple[str, Request]] = connection.recv()
            with _encoded_together(batch):
                for number, request in batch:
                    connection.send(("answer", number, answer(request, settings, _reporter(connection, number))))


def _prepare(settings: Settings) -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C: the server ends its workers
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ.pop("GITHUB_STEP_SUMMARY", None)
    sys.stdin = io.StringIO()
    if settings.memory and sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (settings.memory, settings.memory))
    threading.Thread(target=_end_with, args=(settings.parent,), daemon=True).start()
    from ... import scoring  # noqa: F401  # so that the first request does not wait for it


def _end_with(parent: int) -> None:
    """End this process when the server has gone, whatever it is doing."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _reporter(connection: Connection, number: str) -> Callable[[int, int | None], None]:
    """Return a function that tells the server of progress, at most twice a second."""
    last = 0.0

    def report(done: int, total: int | None) -> None:
        nonlocal last
        if time.monotonic() - last > 0.5:
            last = time.monotonic()
            connection.send(("progress", number, (done, total)))

    return report


@contextlib.contextmanager
def _encoded_together(batch: list[tuple[str, Request]]) -> Iterator[None]:
    """Have encoders encode the texts of all requests of a batch at once."""
    if len(batch) < 2:
        yield
        return
    from ...language.encoders.base import together

    texts = [data.decode("utf-8", "replace").split("\n") for _, request in batch for data in request.files.values()]
    with together(dict.fromkeys(line for lines in texts for line in lines if line)):
        yield


class _Warnings(logging.Handler):
    """Collects the library's warnings, each once."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: dict[str, None] = {}

    def emit(self, record: logging.LogRecord) -> None:
        self.said[record.getMessage()[:500]] = None


# For all requests: click keeps every stream that it has written to, with what was written.
_OUT, _ERR = io.StringIO(), io.StringIO()


def answer(request: Request, settings: Settings, progress: Callable[[int, int | None], None]) -> Answer:
    """Return the answer to one request; what a caller can cause is an error with a status of 4xx."""
    began, handler = time.monotonic(), _Warnings()
    logger = logging.getLogger("tercet")
    logger.addHandler(handler)
    settings.folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=settings.folder) as folder, contextlib.chdir(folder):
        for name, data in request.files.items():
            Path(name).write_bytes(data)
        try:
            found = _call(request, settings, progress)
        except TercetError as error:
            text = str(error).replace(f"{folder}{os.sep}", "")
            found = Answer.error(text, INVALID if error.exit_code == 2 else UNPROCESSABLE)
        except MemoryError:
            found = Answer.error("Not enough memory: the server has a limit for each request.", UNPROCESSABLE)
        except Exception as error:  # noqa: BLE001  # a fault of ours must not end the worker
            found = Answer.error(f"The server failed: {_place(error)}.", FAILED)
        finally:
            logger.removeHandler(handler)
    return replace(found, warnings=tuple(handler.said), seconds=time.monotonic() - began)


def _call(request: Request, settings: Settings, progress: Callable[[int, int | None], None]) -> Answer:
    """Run the command of a request in the current folder."""
    import click

    from ...cli.commands import run_task
    from ...cli.console import PROGRESS

    command = command_of(request.task)
    names = declared(command.options)
    own: dict[str, Any] = {"cache": str(settings.cache)} if settings.cache and "cache" in names else {}
    if request.archive:
        own["save"] = ARCHIVE
    options = command.options(**{**request.options, **own, **({"quiet": True} if "quiet" in names else {})})
    code = 0
    with click.Context(click.Command(request.task)) as context:
        context.meta[PROGRESS] = progress
        with contextlib.redirect_stdout(_OUT), contextlib.redirect_stderr(_ERR):
            try:
                run_task(command, TASKS[request.task][1], options, context)
            except SystemExit as leaving:
                code = leaving.code if isinstance(leaving.code, int) else 1
            finally:
                printed = _OUT.getvalue().encode("utf-8", "replace")
                for stream in (_OUT, _ERR):
                    stream.seek(0)
                    stream.truncate()
    if request.archive:
        return Answer(200, Path(ARCHIVE).read_bytes(), BINARY, code)
    return Answer(200, printed, TYPES.get(str(request.options.get("form")), "text/plain; charset=utf-8"), code)


def _place(error: Exception) -> str:
    """Return the kind and the place of an error, without its message: that may quote texts."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" in {Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}" if trace is not None else ""
    return f"{type(error).__name__}{place}"

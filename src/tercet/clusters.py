"""Executors of Dask clusters: connecting, refusing workers of another version, noticing that a cluster has vanished."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, InvalidStateError
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from . import __version__
from .errors import TercetError, UsageError, optional

if TYPE_CHECKING:
    from distributed import Client

log = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")

CONNECT = 10  # seconds
ANSWER = 20.0  # seconds in which the scheduler must answer while results are waited for
WITHOUT_WORKERS = 30.0  # seconds for which a cluster may have no worker
_OTHER = "The worker {} has Tercet {}, and this computer {}: scores could differ. Install the same version everywhere."
_VANISHED = "The cluster at {} does not answer any more. With `cache` the run goes on where it stopped."


class OtherVersion(UsageError):
    """A worker has another version of Tercet, whose numbers may differ."""


class WorkerDied(TercetError):
    """A worker process, or a cluster, ended before its work was done."""


@contextmanager
def open_cluster(address: str) -> Iterator[Executor]:
    """Connect to the Dask scheduler at an address and yield its executor."""
    distributed = optional("distributed", "Running on a cluster", "cluster")
    with _quieted():
        try:
            client = distributed.Client(address, timeout=f"{CONNECT}s", set_as_default=False)
        except (OSError, ValueError) as error:
            raise UsageError(f"No cluster answers at {address}: {error}") from None
        try:
            _check_versions(client, address)
            yield ClusterExecutor(client, address)
        finally:
            with suppress(Exception):  # a scheduler that has vanished cannot be left properly
                client.close(timeout=2)


def _check_versions(client: Client, address: str) -> None:
    """Raise UsageError if a worker lacks Tercet, or another version. Units ask those that join later."""
    for worker, found in client.run(_version, on_error="return").items():
        if isinstance(found, Exception):
            raise UsageError(f"The worker {worker} of {address} cannot import Tercet: {found}. Install it there.")
        if found != __version__:
            raise OtherVersion(_OTHER.format(worker, found, __version__))


def _version() -> str:
    from tercet import __version__  # of the worker

    return __version__


def _of_one_version(version: str, function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Call a function on a worker, unless that has another version of Tercet."""
    if version != _version():
        import socket

        raise OtherVersion(_OTHER.format(socket.gethostname(), _version(), version))
    return function(*arguments, **options)


class ClusterExecutor(Executor):
    """Runs work on a cluster. Dask's own executor fails if a worker dies while its result is being fetched."""

    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self.workers = max(1, sum(client.ncores().values()))
        self.watch = Watch(client, address)

    def submit(self, function: Callable[P, T], /, *arguments: P.args, **options: P.kwargs) -> Future[T]:
        made: Future[T] = Future()

        def hand_over(done: Any) -> None:
            with suppress(InvalidStateError):  # nobody waits any more
                try:  # Dask has one thread for such calls: waiting here for ever would stop later clusters too
                    made.set_result(done.result(timeout=3 * ANSWER))
                except TimeoutError:
                    made.set_exception(WorkerDied(_VANISHED.format(self.watch.address)))
                except Exception as error:  # noqa: BLE001  whatever the work raised is raised where it is waited for
                    made.set_exception(error)

        self._client.submit(
            _of_one_version, __version__, function, *arguments, **options, pure=False
        ).add_done_callback(hand_over)
        return made


class Watch:
    """Calls while results are waited for: raises WorkerDied if the cluster does not answer or has no workers."""

    def __init__(self, client: Any, address: str) -> None:
        self.client, self.address = client, address
        self.without_workers: float | None = None

    def __call__(self) -> None:
        try:
            workers = self.client.sync(self.client.scheduler.ncores, callback_timeout=ANSWER)
        except (OSError, TimeoutError, AttributeError, RuntimeError):  # closed, or no answer
            raise WorkerDied(_VANISHED.format(self.address)) from None
        now = time.monotonic()
        self.without_workers = None if workers else self.without_workers or now
        if self.without_workers and now - self.without_workers > WITHOUT_WORKERS:
            raise WorkerDied(f"The cluster at {self.address} has no workers any more.")


class _Forward(logging.Handler):
    """Messages of `distributed` become warnings of ours, which -q silences; without their tracebacks."""

    def emit(self, record: logging.LogRecord) -> None:
        lines = record.getMessage().splitlines()
        log.warning("Cluster: %s", lines[0] if lines else record.name)


@contextmanager
def _quieted() -> Iterator[None]:
    """Take the messages of `distributed` and what it runs on for our own: it writes them to standard error itself."""
    known = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in ("distributed", "tornado")]
    loggers = [logging.getLogger(name) for name in dict.fromkeys(["distributed", "tornado", "asyncio", *known])]
    before = [(logger, logger.handlers, logger.propagate) for logger in loggers]
    for logger in loggers:
        if logger.handlers or "." not in logger.name:
            logger.handlers, logger.propagate = [_Forward(logging.WARNING)], False
    try:
        yield
    finally:
        for logger, handlers, propagate in before:
            logger.handlers, logger.propagate = handlers, propagate

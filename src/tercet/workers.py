"""Run units of work in other processes, with results in order. Their warnings are logged by the collecting process."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from .errors import TercetError

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Result = TypeVar("Result")
Warnings = list[tuple[str, str]]  # a logger's name, a message
WATCH = 5.0  # seconds between looks at a cluster
AHEAD = 8  # units that may be running or finished but not yet collected: bounds memory


def submit(executor: Executor, function: Callable[..., Result], *arguments: object) -> Future[tuple[Result, Warnings]]:
    """Start a unit of work. `result_of` waits for the returned future."""
    return executor.submit(_keeping_warnings, _this_process(), function, *arguments)


def result_of(future: Future[tuple[Result, Warnings]], watch: Callable[[], None] | None = None) -> Result:
    """Return the result of a unit of work and log its warnings. watch: raises if the result will never come."""
    if watch is not None:
        from concurrent.futures import wait

        while not future.done():
            wait([future], timeout=WATCH)
            if not future.done():
                watch()
    result, warnings = future.result()
    for name, message in warnings:
        logging.getLogger(name).warning("%s", message)
    return result


def results_in_order(
    executor: Executor,
    function: Callable[..., Result],
    tasks: Iterable[tuple[object, ...]],
    *,
    doing: str,
    advice: str = "",
    ahead: int = AHEAD,
) -> Iterator[Result]:
    """Yield results in the order of the tasks. doing, advice: for the error message if a process dies."""
    from concurrent.futures import BrokenExecutor

    waiting: deque[Future[tuple[Result, Warnings]]] = deque()
    try:
        for task in tasks:
            waiting.append(submit(executor, function, *task))
            if len(waiting) > ahead:
                yield result_of(waiting.popleft())
        while waiting:
            yield result_of(waiting.popleft())
    except BrokenExecutor:
        raise TercetError(
            f"A worker process died while {doing}. It may have run out of memory: use fewer jobs{advice}."
        ) from None


def _this_process() -> tuple[str, int]:
    import os
    import platform

    return platform.node(), os.getpid()


def _keeping_warnings(
    submitter: tuple[str, int], function: Callable[..., Result], *arguments: object
) -> tuple[Result, Warnings]:
    """Return the result and the warnings logged; no warnings if this is the submitting process, which logged them."""
    if _this_process() == submitter:
        return function(*arguments), []
    logger, keeper = logging.getLogger("tercet"), _Keeper()
    logger.addHandler(keeper)
    try:
        return function(*arguments), keeper.warnings
    finally:
        logger.removeHandler(keeper)


class _Keeper(logging.Handler):
    """A handler that collects the warnings of one thread: a cluster worker may run several units at once."""

    def __init__(self) -> None:
        import threading

        super().__init__(logging.WARNING)
        self.warnings: Warnings = []
        self.thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self.thread:
            self.warnings.append((record.name, record.getMessage()))

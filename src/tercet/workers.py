"""Units of work in other processes: results in order, a bounded number of them ahead, a dead process said plainly.

What the library would warn of in a worker is said by the process that collects the result: only that one knows what
its user wants to see.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from .errors import TercetError

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Result = TypeVar("Result")
Warnings = list[tuple[str, str]]  # a logger's name, a message
AHEAD = 8  # units that may be under way or done before they are collected: bounds memory


def submit(executor: Executor, function: Callable[..., Result], *arguments: Any) -> Future[tuple[Result, Warnings]]:
    """Start a unit of work, whose outcome `result_of` tells."""
    return executor.submit(_keeping_warnings, _this_process(), function, *arguments)


def result_of(future: Future[tuple[Result, Warnings]]) -> Result:
    """What a unit of work came to, once it has; what it warned of is said here."""
    result, warnings = future.result()
    for name, message in warnings:
        logging.getLogger(name).warning("%s", message)
    return result


def results_in_order(
    executor: Executor,
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    *,
    doing: str,
    advice: str = "",
    ahead: int = AHEAD,
) -> Iterator[Result]:
    """What `function` makes of the arguments in each task, in their order.

    doing: what the processes do, for the message if one dies ("parsing"); advice: what else to say then.
    """
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
            f"A process that was {doing} died, perhaps for want of memory: use fewer jobs{advice}."
        ) from None


def _this_process() -> tuple[str, int]:
    import os
    import platform

    return platform.node(), os.getpid()


def _keeping_warnings(
    submitter: tuple[str, int], function: Callable[..., Result], *arguments: Any
) -> tuple[Result, Warnings]:
    """The result, and what this process would have warned of; in a thread of the submitter's, that needs no help."""
    if _this_process() == submitter:
        return function(*arguments), []
    logger, keeper = logging.getLogger("tercet"), _Keeper()
    logger.addHandler(keeper)
    try:
        return function(*arguments), keeper.warnings
    finally:
        logger.removeHandler(keeper)


class _Keeper(logging.Handler):
    """Keeps the warnings of one thread: a worker of a cluster may run several units at once."""

    def __init__(self) -> None:
        import threading

        super().__init__(logging.WARNING)
        self.warnings: Warnings = []
        self.thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self.thread:
            self.warnings.append((record.name, record.getMessage()))

"""Units of work in other processes: results in order, a bounded number of them ahead, a dead process said plainly."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from .errors import TercetError

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Result = TypeVar("Result")
AHEAD = 8  # units that may be under way or done before they are collected: bounds memory


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

    waiting: deque[Future[Result]] = deque()
    try:
        for task in tasks:
            waiting.append(executor.submit(function, *task))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenExecutor:
        raise TercetError(
            f"A process that was {doing} died, perhaps for want of memory: use fewer jobs{advice}."
        ) from None

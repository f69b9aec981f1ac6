"""Units of work in other processes."""

import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from tercet.errors import TercetError
from tercet.workers import results_in_order


def test_results_come_in_the_order_of_tasks_and_no_more_are_ahead_than_allowed() -> None:
    asked = []

    def tasks():
        for number in range(20):
            asked.append(number)
            yield (number,)

    with ThreadPoolExecutor(2) as pool:
        found = results_in_order(pool, lambda number: number * number, tasks(), doing="squaring", ahead=3)
        assert next(found) == 0
        assert asked == [0, 1, 2, 3]
        assert list(found) == [number * number for number in range(1, 20)]


def test_a_process_that_dies_is_said_plainly() -> None:
    with (
        ProcessPoolExecutor(1) as pool,
        pytest.raises(TercetError, match=r"^A process that was squaring died, perhaps .*: use fewer jobs; or rest\.$"),
    ):
        list(results_in_order(pool, os._exit, [(1,)], doing="squaring", advice="; or rest"))

"""Units of work in other processes."""

import logging
import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

from tercet.errors import TercetError
from tercet.workers import _keeping_warnings, results_in_order


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
        pytest.raises(TercetError, match=r"^A worker process died while squaring\. .*: use fewer jobs; or rest\.$"),
    ):
        list(results_in_order(pool, os._exit, [(1,)], doing="squaring", advice="; or rest"))


def warn_twice(name: str) -> str:
    logging.getLogger("tercet.somewhere").warning("%s is odd", name)
    logging.getLogger("another").warning("not ours to pass on")
    return name


@pytest.mark.parametrize("pool", [ProcessPoolExecutor, ThreadPoolExecutor])
def test_warnings_of_workers_are_said_where_results_are_collected(pool, caplog, capfd) -> None:
    context = {"mp_context": get_context("forkserver")} if pool is ProcessPoolExecutor else {}
    with pool(2, **context) as executor, caplog.at_level(logging.WARNING, "tercet"):
        assert list(results_in_order(executor, warn_twice, [("a",), ("b",)], doing="testing")) == ["a", "b"]
    said = [(record.name, record.getMessage()) for record in caplog.records if record.name != "another"]
    assert sorted(said) == [("tercet.somewhere", "a is odd"), ("tercet.somewhere", "b is odd")]
    assert "is odd" not in capfd.readouterr().err  # the worker itself prints nothing


def test_threads_of_one_worker_keep_their_warnings_apart() -> None:
    elsewhere = ("another machine", 1)
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(_keeping_warnings, elsewhere, warn_twice, str(number)) for number in range(50)]
        for number, future in enumerate(futures):
            assert future.result() == (str(number), [("tercet.somewhere", f"{number} is odd")])

"""The list of slow tests (tests/conftest.py) names tests that exist: a renamed test must not become quick unseen."""

import re
from pathlib import Path

import pytest

from tests.conftest import SLOW

TESTS = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", SLOW)
def test_every_slow_name_is_the_beginning_of_a_tests_name(name: str) -> None:
    file, _, test = name.partition("[")[0].partition("::")
    paths = [TESTS / file] if test else TESTS.glob(f"{file}*")
    found = [path for path in paths if path.exists()]
    assert found
    if test:
        assert re.search(rf"^def {re.escape(test)}", found[0].read_text("utf-8"), re.MULTILINE)

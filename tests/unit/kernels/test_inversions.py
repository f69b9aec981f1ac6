"""Inversions, compiled and plain, against all pairs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.stats import correlation

from .conftest import load_source

PLAIN = load_source("inversions")
shared_fixture = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=["installed", "plain"])
def inversions_form(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(correlation, "inversions", PLAIN)
    return request.param


def tables(length):
    return st.lists(st.lists(st.integers(1, 9), min_size=length, max_size=length), min_size=1, max_size=3)


@shared_fixture
@given(rows=st.integers(2, 12).flatmap(tables))
def test_inversions_are_the_pairs_in_the_wrong_order(inversions_form, rows):
    expected = [sum(a > b for a, b in combinations(row, 2)) for row in rows]
    assert correlation._inversions(np.array(rows, dtype=np.int32)).tolist() == expected

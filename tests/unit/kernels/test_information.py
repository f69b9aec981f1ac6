"""NIST's n-grams with their information against dictionaries."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet import TestSet
from tercet.metrics import Shard, create
from tercet.metrics.strings import nist

from .conftest import load_source
from .slow_nist import slow_counts

PLAIN = load_source("information")
shared_fixture = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
words = st.lists(st.sampled_from(["a", "b", "c", "0", "é"]), max_size=9)
segments = st.lists(st.tuples(words, words, words), min_size=1, max_size=5)


@pytest.fixture(params=["installed", "plain"])
def information_form(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(nist, "kernel", PLAIN)
    return request.param


@pytest.mark.parametrize("order", [1, 2, 5])
@shared_fixture
@given(rows=segments)
def test_counts_equal_those_of_dictionaries(information_form, order, rows):
    outputs, first, second = ([" ".join(row[i]) for row in rows] for i in range(3))
    texts = TestSet({"x": outputs}, {"r": first, "s": second})
    ready = create(f"nist:max_ngram_order={order}").ready(texts)
    expected = slow_counts({"x": [row[0] for row in rows]}, [[row[1], row[2]] for row in rows], order)
    np.testing.assert_array_equal(ready.count(Shard(texts))["x"], expected["x"])


@shared_fixture
@given(rows=segments)
def test_weights_do_not_depend_on_the_size_of_shards(information_form, rows):
    outputs, first, second = ([" ".join(row[i]) for row in rows] for i in range(3))
    texts = TestSet({"x": outputs}, {"r": first, "s": second})
    whole = create("nist").ready(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nist, "SHARD", 2)
        parts = create("nist").ready(texts)
    assert parts.signature == whole.signature
    np.testing.assert_array_equal(parts.count(Shard(texts))["x"], whole.count(Shard(texts))["x"])

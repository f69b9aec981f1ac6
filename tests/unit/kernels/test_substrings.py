"""YiSi-0's loops against the same on lists of words."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet import TestSet
from tercet.metrics import Shard
from tercet.metrics.alignment import yisi0 as module
from tercet.metrics.alignment.yisi0 import YiSi0, similarity

from .conftest import load_source

PLAIN = load_source("substrings")
shared_fixture = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
words = st.lists(st.sampled_from(["a", "ab", "abc", "bca", "ca", "é", "éa", "漢字", "字"]), max_size=7)


@pytest.fixture(params=["installed", "plain"])
def form(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(module, "substrings", PLAIN)
    return request.param


def slow_similarity(word, other):
    first, second = word.encode(), other.encode()
    common = max(
        size for size in range(len(first) + 1) for i in range(len(first) - size + 1) if first[i : i + size] in second
    )
    return 2 * common / (len(first) + len(second))


def slow_side(texts, others, weight, n):
    """The weighted mean, over the n-grams of a text, of the similarity to the best of the other's."""
    total = weights = 0.0
    for i in range(len(texts) - n + 1):
        gram = texts[i : i + n]
        mass = sum(map(weight, gram))
        best = max(
            sum(weight(a) * slow_similarity(a, b) for a, b in zip(gram, others[j : j + n], strict=True)) / mass
            for j in range(len(others) - n + 1)
        )
        total += mass * best
        weights += mass
    return total / weights


@pytest.mark.parametrize("n", [1, 2, 3])
@shared_fixture
@given(pairs=st.lists(st.tuples(words, words), min_size=1, max_size=3))
def test_precision_and_recall_equal_those_on_lists(form, n, pairs):
    outputs, references = ([" ".join(line) for line in side] for side in zip(*pairs, strict=True))
    testset = TestSet({"x": outputs}, {"r": references})
    ready = YiSi0(n=n).ready(testset)
    counts = ready.count(Shard(testset))["x"]
    for row, (output, reference) in zip(counts, pairs, strict=True):
        size = min(n, len(output), len(reference))
        weight = ready.state.weight
        expected = (
            [slow_side(output, reference, weight, size), slow_side(reference, output, weight, size)] if size else [0, 0]
        )
        assert row[2:].tolist() == pytest.approx(expected, abs=1e-12)


@given(st.text(min_size=1, max_size=8, alphabet="abé漢"), st.text(min_size=1, max_size=8, alphabet="abé漢"))
def test_similarity_is_that_of_the_longest_common_substring_in_bytes(word, other):
    assert similarity(word, other) == slow_similarity(word, other)
    assert similarity(word, other) == similarity(other, word)

"""The n-gram kernels against `collections.Counter`."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.text import coding
from tercet.text.coding import NgramIndex, Units, ngram_totals

shared_fixture = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
references = st.lists(st.lists(st.lists(st.integers(0, 3), max_size=8), min_size=1, max_size=3), min_size=1, max_size=4)
outputs = st.lists(st.lists(st.integers(-1, 4), max_size=9), min_size=1, max_size=4)


def units(texts):
    ids = np.array([unit for text in texts for unit in text], dtype=np.int32)
    return Units(ids, np.cumsum([0, *map(len, texts)], dtype=np.int64))


def grams(text, n):
    return Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))


def slow_matches(output, group, max_order):
    """An n-gram counts at most as often as in the reference that has it most often; -1 matches nothing."""
    result = []
    for n in range(1, max_order + 1):
        most: Counter[tuple[int, ...]] = Counter()
        for text in group:
            most |= grams(text, n)
        result.append((grams(output, n) & most).total())
    return result


def fast_matches(texts, groups, max_order, which=None):
    ends = np.cumsum([0, *map(len, groups)], dtype=np.int64)
    index = NgramIndex(units([text for group in groups for text in group]), ends, max_order)
    return index.count_matches(units(texts), np.arange(len(texts)) if which is None else np.array(which)).tolist()


@pytest.mark.parametrize("table", [0, 12, 1 << 20])  # all through the hash table, some, none
@shared_fixture
@given(groups=references, texts=outputs, max_order=st.integers(1, 5))
def test_matches_equal_those_of_counters(form, monkeypatch, table, groups, texts, max_order):
    monkeypatch.setattr(coding, "TABLE", table)
    which = [g % len(texts) for g in range(len(groups))]
    expected = [slow_matches(texts[w], group, max_order) for w, group in zip(which, groups, strict=True)]
    assert fast_matches(texts, groups, max_order, which) == expected


@pytest.mark.parametrize("length", [1, 50, 1500])
def test_long_texts_match_as_counters_do(form, length):
    random = np.random.default_rng(7)
    output, *group = (random.integers(0, 5, length).tolist() for _ in range(3))
    assert fast_matches([output], [group], 4) == [slow_matches(output, group, 4)]


def test_many_groups_do_not_disturb_each_other(form):
    random = np.random.default_rng(11)
    groups = [[random.integers(0, 4, random.integers(0, 12)).tolist()] for _ in range(60)]
    texts = [random.integers(-1, 5, random.integers(0, 12)).tolist() for _ in range(60)]
    expected = [slow_matches(text, group, 6) for text, group in zip(texts, groups, strict=True)]
    assert fast_matches(texts, groups, 6) == expected


def test_texts_without_units_match_nothing(form):
    assert fast_matches([[], [1]], [[[]], [[]]], 3) == [[0, 0, 0], [0, 0, 0]]


def test_ngram_totals_are_never_negative():
    assert ngram_totals(np.array([0, 1, 5]), 3).tolist() == [[0, 0, 0], [1, 0, 0], [5, 4, 3]]

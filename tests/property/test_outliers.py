"""Outliers, curves and levels do not change with the unit of gold, nor with the order of items."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.stats.outliers import mad_outliers, quality_levels, top_n

GOLD = st.lists(st.integers(-20, 20), min_size=1, max_size=12).map(np.array)


@given(GOLD)
def test_the_unit_of_gold_and_the_order_do_not_matter(gold):
    outliers, levels = mad_outliers(gold), quality_levels(gold)
    assert np.array_equal(mad_outliers(4 * gold + 8), outliers)
    assert np.array_equal(mad_outliers(-gold), outliers)
    assert np.array_equal(mad_outliers(gold[::-1]), outliers[::-1])
    assert np.array_equal(quality_levels(4 * gold + 8), levels)
    assert np.array_equal(quality_levels(gold[::-1]), levels[::-1])


@given(GOLD)
def test_at_most_half_are_outliers_and_levels_follow_gold(gold):
    assert mad_outliers(gold).sum() <= len(gold) / 2
    order = np.argsort(gold)
    levels = quality_levels(gold)[order]
    assert (np.diff(levels) >= 0).all()
    assert (np.diff(levels)[np.diff(gold[order]) == 0] == 0).all()
    assert ((levels >= 1) & (levels <= 4)).all()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), min_size=4, max_size=9))
def test_the_range_of_a_curve_holds_the_value_of_any_order(rows):
    gold, metric = np.array(rows).T
    back = top_n(gold[::-1], metric[::-1])
    for one, other in zip(top_n(gold, metric), back, strict=True):
        assert one.n == other.n
        assert (one.low, one.high) == pytest.approx((other.low, other.high), nan_ok=True, abs=1e-12)
        assert np.isnan(one.low) or -1 <= one.low <= one.high <= 1

"""Correlations equal scipy's on any numbers, and do not change with the unit or the order of items."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from tercet.stats.correlation import CORRELATIONS, average_ranks, kendall, pearson, spearman

SCIPY = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall": stats.kendalltau,
    "kendall-c": lambda x, y: stats.kendalltau(x, y, variant="c"),
}


@st.composite
def two_series(draw, *, least=2):
    """Whole numbers with many ties, or decimals; none of them constant."""
    n = draw(st.integers(least, 40))
    kinds = [st.integers(0, 3), st.integers(-1000, 1000), st.decimals(-100, 100, places=3).map(float)]
    x, y = (
        np.array(draw(st.lists(draw(st.sampled_from(kinds)), min_size=n, max_size=n)), dtype=np.float64)
        for _ in range(2)
    )
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    return x, y


def test_every_correlation_has_a_peer():
    assert SCIPY.keys() == CORRELATIONS.keys()


@given(two_series(), st.sampled_from(sorted(CORRELATIONS)))
def test_correlations_equal_scipy(series, name):
    assert float(CORRELATIONS[name](*series)) == pytest.approx(SCIPY[name](*series).statistic, abs=1e-12)


@given(two_series(), st.sampled_from(sorted(CORRELATIONS)), st.sampled_from([1e-9, 0.01, 1.0, 1e9]))
def test_unit_order_and_sides_do_not_matter_and_the_sign_turns_with_one_side(series, name, unit):
    x, y = series
    correlation = CORRELATIONS[name]
    value = float(correlation(x, y))
    order = np.random.default_rng(len(x)).permutation(len(x))
    assert -1 <= value <= 1
    assert float(correlation(unit * x, y)) == pytest.approx(value, abs=1e-12)
    assert float(correlation(x[order], y[order])) == pytest.approx(value, abs=1e-12)
    assert float(correlation(y, x)) == pytest.approx(value, abs=1e-12)
    assert float(correlation(-x, y)) == pytest.approx(-value, abs=1e-12)


@given(two_series())
def test_ranks_equal_scipy_and_rank_correlations_see_nothing_else(series):
    x, y = series
    assert np.array_equal(average_ranks(x), stats.rankdata(x))
    assert spearman(x, y) == pearson(average_ranks(x), average_ranks(y))
    assert kendall(x, y) == kendall(average_ranks(x), average_ranks(y))

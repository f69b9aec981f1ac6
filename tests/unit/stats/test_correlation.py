"""Correlations by hand and by scipy, what has none, and long series."""

import numpy as np
import pytest
from scipy import stats

from tercet.errors import UnknownName, UsageError
from tercet.stats.correlation import CORRELATIONS, average_ranks, is_constant_series, kendall, pearson, spearman

nan, inf = float("nan"), float("inf")
EVERY = pytest.mark.parametrize("correlation", CORRELATIONS.values(), ids=CORRELATIONS)


def test_four_points_by_hand():
    x, y = [1, 2, 3, 4], [1, 3, 2, 4]
    assert pearson(x, y) == pytest.approx(0.8)
    assert spearman(x, y) == pytest.approx(0.8)
    assert kendall(x, y) == pytest.approx(4 / 6)
    # One tie in y: 5 pairs of 6 are in order, tau-b divides by sqrt(6 * 5), tau-c by 16 * (3 - 1) / 3 / 2.
    assert kendall(x, [1, 2, 2, 4]) == pytest.approx(5 / np.sqrt(30))
    assert kendall(x, [1, 2, 2, 4], variant="c") == pytest.approx(15 / 16)


@EVERY
def test_leading_axes_broadcast(correlation):
    rng = np.random.default_rng(1)
    metrics, gold = rng.integers(0, 9, (2, 3, 20)), rng.integers(0, 5, 20)
    found = correlation(metrics, gold)
    assert found.shape == (2, 3)
    assert found[1, 2] == correlation(metrics[1, 2], gold) == correlation(gold, metrics[1, 2])
    assert correlation(metrics[:, :, np.newaxis], gold[np.newaxis]).shape == (2, 3, 1)


@EVERY
def test_undefined_correlations_are_nan(correlation):
    assert np.isnan(correlation([], []))
    assert np.isnan(correlation([1], [2]))
    assert np.isnan(correlation([3, 3, 3], [1, 2, 3]))
    assert np.isnan(correlation([1, 2, 3], [0, 0, 0]))
    assert np.isnan(correlation([1, nan, 3], [1, 2, 3]))
    assert np.array_equal(correlation([[1, 2, 4], [1, nan, 4], [5, 5, 5]], [1, 2, 3]) > 0, [True, False, False])
    assert correlation(np.empty((0, 3)), [1, 2, 3]).shape == (0,)


@EVERY
def test_rounding_noise_is_no_variation(correlation):
    noisy = [0.1 + 0.2, 0.3, 0.3]
    assert len(set(noisy)) == 2
    assert np.isnan(correlation(noisy, [1, 2, 3]))
    assert np.isnan(correlation([1, 2, 3], np.array(noisy) * 1e-200))
    assert not np.isnan(correlation([1e9, 1e9 + 0.01, 1e9 + 0.02], [1, 2, 3]))


def test_a_small_spread_on_large_values_keeps_its_digits():
    x = np.array([1e8, 1e8 + 1, 1e8 + 2, 1e8 + 4])
    assert pearson(x, [1, 2, 3, 5]) == pytest.approx(1, abs=1e-15)
    assert pearson(1e-200 * np.arange(5), np.arange(5)) == pytest.approx(1, abs=1e-15)
    assert pearson(1e200 * np.arange(5), -np.arange(5)) == pytest.approx(-1, abs=1e-15)


def test_perfect_correlations_never_exceed_one():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(500, 7))
    assert (pearson(x, 3 * x + 1) <= 1).all()
    assert (pearson(x, -x) >= -1).all()


def test_infinite_scores_have_ranks_but_no_mean():
    assert spearman([1, 2, inf], [1, 2, 3]) == pytest.approx(1)
    assert kendall([-inf, 2, inf], [1, 2, 3]) == 1
    assert np.isnan(pearson([1, 2, inf], [1, 2, 3]))
    assert np.isnan(kendall([inf, inf], [1, 2]))


def test_equal_values_share_the_mean_of_their_ranks():
    assert average_ranks([10, 20, 20, 5, 20]).tolist() == [2, 4, 4, 1, 4]
    assert average_ranks([[3, 3], [2, 1]]).tolist() == [[1.5, 1.5], [2, 1]]
    assert np.isnan(average_ranks([1, nan])).all()
    assert average_ranks([]).shape == (0,)


def test_constant_series():
    assert is_constant_series([[1, 1], [1, 1 + 1e-13], [1, 1 + 1e-9], [0, 0], [nan, 1]]).tolist() == [
        True,
        True,
        False,
        True,
        False,
    ]
    assert is_constant_series(np.empty((2, 0))).tolist() == [True, True]


def test_kendall_of_300_000_items_is_answered_and_equals_scipy():
    rng = np.random.default_rng(3)
    x = rng.normal(size=300_000)  # 45 billion pairs: too many to be looked at one by one
    y = np.round(x + rng.normal(size=300_000), 1)
    found = kendall(x, y)
    assert found == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


def test_many_series_are_cut_into_batches_without_a_trace(monkeypatch):
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, 9, (7, 30)), rng.integers(0, 9, 30)
    whole = kendall(x, y)
    monkeypatch.setattr("tercet.stats.correlation._BATCH", 60)
    assert np.array_equal(kendall(x, y), whole)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(UsageError, match="must have the same length, not 3 and 2"):
        pearson([1, 2, 3], [1, 2])
    with pytest.raises(UsageError, match=r"shapes \(2, 3\) and \(4, 3\) cannot be broadcast together"):
        spearman(np.zeros((2, 3)), np.zeros((4, 3)))
    with pytest.raises(UsageError, match="needs series of numbers"):
        pearson(1, 2)
    with pytest.raises(UnknownName, match="no variant of Kendall's tau called 'a'. Known: b, c."):
        kendall([1, 2], [1, 2], variant="a")

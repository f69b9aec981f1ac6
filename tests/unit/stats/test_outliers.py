"""Outliers, the best N and levels of quality by hand."""

import numpy as np
import pytest

from tercet.errors import DataError, UsageError
from tercet.stats.correlation import pearson, spearman
from tercet.stats.outliers import mad_outliers, quality_levels, top_n

nan = float("nan")


def test_outliers_by_hand():
    # Median 3, deviations 2 1 0 1 7, their median 1: the bound is 2.5 * 1.483 = 3.7.
    assert mad_outliers([1, 2, 3, 4, 10]).tolist() == [False, False, False, False, True]
    assert mad_outliers([1, 2, 3, 4, 6.7]).tolist() == [False] * 5
    assert mad_outliers([1, 2, 3, 4, 6.71]).tolist() == [False] * 4 + [True]
    assert mad_outliers([-4, 2, 3, 4, 10], cutoff=10).tolist() == [False] * 5
    assert mad_outliers([1, 2, 3, 4, 10], cutoff=0.5).tolist() == [True, True, False, True, True]
    assert mad_outliers([-4, 2, 3, 4, 10]).tolist() == [True, False, False, False, True]


def test_missing_items_are_no_outliers_and_have_no_influence():
    assert mad_outliers([1, 2, nan, 3, 4, 10]).tolist() == [False] * 5 + [True]
    assert mad_outliers([nan, nan]).tolist() == [False, False]
    assert mad_outliers([]).tolist() == []


def test_without_a_scale_there_are_no_outliers():
    assert mad_outliers([5, 5, 5, 5, 9]).tolist() == [False] * 5


def test_the_curve_goes_from_all_to_the_least():
    gold, metric = [1, 2, 3, 4, 5, 6], [1, 2, 3, 6, 5, 4]
    curve = top_n(gold, metric)
    assert [point.n for point in curve] == [6, 5, 4]
    assert curve[0].low == curve[0].high == pytest.approx(float(pearson(gold, metric)))
    assert curve[2].low == pytest.approx(float(pearson(gold[2:], metric[2:])))
    assert top_n(gold, metric, spearman, least=3)[-1] == pytest.approx((3, -1, -1))
    assert top_n(gold[:3], metric[:3]) == []


def test_ties_at_the_cut_give_a_range_and_other_ties_do_not():
    gold, metric = [9, 8, 7, 5, 5, 1], [4, 3, 2, 1, 9, 0]
    six, five, four = top_n(gold, metric)
    assert six.low == six.high
    assert five.low == five.high  # both of the tied are in
    low, high = sorted(float(pearson([*gold[:3], 5], [*metric[:3], last])) for last in (1, 9))
    assert (four.low, four.high) == pytest.approx((low, high))


def test_missing_numbers_make_the_values_nan_that_they_concern():
    assert np.isnan([point.low for point in top_n([1, 2, 3, 4, nan], [1, 2, 3, 4, 5])]).all()
    curve = top_n([1, 2, 3, 4, 5], [nan, 2, 3, 4, 5])
    assert np.isnan(curve[0].low) and curve[1].low == pytest.approx(1)


def test_curves_that_cannot_be_drawn_are_refused():
    with pytest.raises(
        DataError, match="25 best items can be chosen in 142,506 ways, because 30 have the gold score 1"
    ):
        top_n([1] * 30, range(30), least=15)
    with pytest.raises(UsageError, match="metric for 2 items does not match gold scores for 3"):
        top_n([1, 2, 3], [1, 2])
    with pytest.raises(UsageError, match="at least 2 items, not 1"):
        top_n([1, 2, 3], [1, 2, 3], least=1)
    with pytest.raises(UsageError, match="must be greater than 0, not 0"):
        mad_outliers([1, 2], cutoff=0)
    with pytest.raises(UsageError, match=r"not an array of shape \(1, 2\)"):
        mad_outliers([[1, 2]])


def test_the_fourth_level_is_the_top_quarter():
    assert quality_levels([8, 1, 2, 3, 4, 5, 6, 7]).tolist() == [4, 1, 1, 2, 2, 3, 3, 4]
    assert quality_levels([0.1, 0.3, 0.2], levels=3).tolist() == [1, 3, 2]
    assert quality_levels([3, 1, 2], levels=1).tolist() == [1, 1, 1]


def test_equal_items_share_a_level_and_a_bound_belongs_below():
    assert quality_levels([1, 2, 3, 4, 5]).tolist() == [1, 1, 2, 3, 4]  # bounds 2, 3 and 4
    assert quality_levels([1, 1, 1, 1, 2]).tolist() == [1, 1, 1, 1, 4]
    assert quality_levels([7, 7, 7]).tolist() == [1, 1, 1]


def test_missing_items_have_no_level():
    assert quality_levels([1, nan, 2], levels=2) == pytest.approx([1, nan, 2], nan_ok=True)
    assert np.isnan(quality_levels([nan, nan])).all()
    with pytest.raises(UsageError, match="number of quality levels must be at least 1, not 0"):
        quality_levels([1, 2], levels=0)


def test_the_curve_of_bleu_in_wmt19_english_german(shared):
    """Where the text of the WMT19 paper says below .5 with 10 systems, gold leaves that open: .296 or .561."""
    lines = (shared / "data/wmt19_sys/wmt19_sys_scores.tsv").read_text("utf-8").split("\n")
    header, *rows = [line.split("\t") for line in lines if line]
    rows = [row for row in rows if row[0] == "en-de"]
    gold, bleu = ([float(row[header.index(name)]) for row in rows] for name in ("DA", "sacreBLEU-BLEU"))
    curve = {point.n: (round(point.low, 3), round(point.high, 3)) for point in top_n(gold, bleu)}
    assert len(curve) == 19
    expected = {22: 0.969, 12: 0.462, 11: 0.464, 9: 0.377, 8: 0.299, 7: 0.076, 6: -0.478, 5: -0.566, 4: -0.976}
    assert {n: curve[n] for n in expected} == {n: (value, value) for n, value in expected.items()}
    assert curve[10] == (0.296, 0.561)
    assert [n for n, (low, high) in curve.items() if low != high] == [10]

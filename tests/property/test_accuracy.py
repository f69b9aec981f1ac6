"""Accuracies do not change with the metric's unit, and calibration never loses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.stats.accuracy import accuracy_with_ties, calibrate_ties, pairwise_accuracy
from tercet.stats.correlation import kendall

AVERAGES = st.sampled_from(["none", "item", "system"])
nan = float("nan")


@st.composite
def tables(draw):
    """Gold scores and a metric, shape (systems, segments), with ties and gaps."""
    shape = draw(st.integers(2, 5)), draw(st.integers(1, 5))
    size = shape[0] * shape[1]
    gold = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, nan]), min_size=size, max_size=size))
    metric = draw(st.lists(st.integers(-8, 8), min_size=size, max_size=size))
    return np.array(gold).reshape(shape), np.array(metric, dtype=np.float64).reshape(shape)


@given(tables(), AVERAGES, st.integers(0, 20))
def test_no_epsilon_is_better_than_the_calibrated_one(table, average, epsilon):
    best = calibrate_ties(*table, average=average)
    here = accuracy_with_ties(*table, epsilon=epsilon, average=average)
    if np.isnan(here):
        assert np.isnan(best.accuracy)
        return
    assert here <= best.accuracy == accuracy_with_ties(*table, epsilon=best.epsilon, average=average)
    assert here < best.accuracy or epsilon >= best.epsilon


@given(tables(), AVERAGES)
def test_the_unit_of_the_metric_changes_epsilon_alone(table, average):
    gold, metric = table
    one, other = calibrate_ties(gold, metric, average=average), calibrate_ties(gold, 8 * metric - 3, average=average)
    assert other.accuracy == pytest.approx(one.accuracy, nan_ok=True)
    assert other.epsilon == pytest.approx(8 * one.epsilon, nan_ok=True)


@given(tables(), AVERAGES)
def test_gold_agrees_with_itself_and_order_does_not_matter(table, average):
    gold, metric = table
    value = accuracy_with_ties(gold, metric, average=average)
    assert accuracy_with_ties(gold[::-1, ::-1], metric[::-1, ::-1], average=average) == pytest.approx(
        value, nan_ok=True
    )
    if not np.isnan(value):
        assert accuracy_with_ties(gold, gold, average=average) == 1
        assert 0 <= value <= 1


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=20, unique=True), st.randoms(use_true_random=False))
def test_without_ties_accuracy_is_kendall_on_another_scale(gold, random):
    metric = gold[:]
    random.shuffle(metric)
    accuracy = float(pairwise_accuracy(gold, metric))
    assert accuracy == pytest.approx((float(kendall(gold, metric)) + 1) / 2)
    assert accuracy_with_ties([[g] for g in gold], [[m] for m in metric]) == pytest.approx(accuracy)

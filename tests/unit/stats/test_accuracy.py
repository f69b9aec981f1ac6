"""Accuracies of pairs by hand and by slow loops, tie calibration by trying every epsilon, and p-values."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from tercet.errors import UnknownName, UsageError
from tercet.stats.accuracy import (
    accuracy_by_group,
    accuracy_with_ties,
    agreement_of_pairs,
    calibrate_ties,
    paired_p_values,
    pairwise_accuracy,
    resample_agreement,
    soft_pairwise_accuracy,
)

nan, inf = float("nan"), float("inf")
AVERAGES = ("none", "item", "system")


def slow_accuracies(gold, metric, epsilon, average):
    """The mean over groups, as a fraction."""
    if average == "item":
        gold, metric = gold.T, metric.T
    elif average == "none":
        gold, metric = gold.reshape(1, -1), metric.reshape(1, -1)
    shares = []
    for people, said in zip(gold, metric, strict=True):
        judged = [(g, m) for g, m in zip(people, said, strict=True) if g == g]
        right = [
            np.sign(g1 - g2) == (0 if abs(m1 - m2) <= epsilon else np.sign(m1 - m2))
            for (g1, m1), (g2, m2) in combinations(judged, 2)
        ]
        if right:
            shares.append(Fraction(sum(map(int, right)), len(right)))
    return sum(shares) / len(shares)


def slow_calibration(gold, metric, average):
    differences = np.abs(metric.reshape(-1, 1) - metric.reshape(1, -1)).ravel()
    candidates = sorted({0.0, *differences[~np.isnan(differences)]})
    return max((slow_accuracies(gold, metric, e, average), -e) for e in candidates)


def made_up(seed, systems=4, segments=6, *, missing=0.2, decimals=1):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, (systems, segments)).astype(float)
    metric = np.round(gold + rng.normal(0, 1, gold.shape), decimals)
    gold[rng.random(gold.shape) < missing] = nan
    return gold, metric


def test_systems_by_hand():
    gold = [1, 2, 3, 3]
    # Of six pairs the first metric has all right, its tie included; the second sees no tie; the third nothing else.
    metrics = [[1, 2, 3, 3], [1, 2, 3, 4], [0, 0, 0, 0], [4, 3, 2, 1], [1, nan, 3, 4]]
    expected = [1, 5 / 6, 1 / 6, 0, nan]
    assert pairwise_accuracy(gold, metrics) == pytest.approx(expected, nan_ok=True)
    assert pairwise_accuracy(gold, metrics[1]) == pytest.approx(5 / 6)
    assert np.isnan(pairwise_accuracy([1, nan], [1, 2]))
    assert np.isnan(pairwise_accuracy([1], [1]))
    assert agreement_of_pairs([1, 2], [[2, 1], [1, nan]])[:, 0, 1] == pytest.approx([0, nan], nan_ok=True)


def test_segments_by_hand():
    gold = np.array([[1, 1, nan], [1, 2, 0], [2, 3, nan]])  # the third segment has no pair
    metric = np.array([[0.1, 0.2, 0.5], [0.2, 0.1, 0.5], [0.9, 0.9, 0.5]])
    assert accuracy_with_ties(gold, metric) == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert accuracy_with_ties(gold, metric, epsilon=0.15) == pytest.approx((1 + 2 / 3) / 2)
    found = calibrate_ties(gold, metric)
    assert found.accuracy == pytest.approx(5 / 6)
    assert found.epsilon == 0.1
    assert (found.average, found.pairs, found.groups) == ("item", 6, 2)
    right, pairs = accuracy_by_group(gold, metric, epsilon=0.15)
    assert (right.tolist(), pairs.tolist()) == ([3, 2, 0], [3, 3, 0])


@pytest.mark.parametrize("average", AVERAGES)
def test_accuracy_equals_a_slow_loop(average):
    for seed in range(5):
        gold, metric = made_up(seed)
        for epsilon in (0.0, 0.3, 5.0):
            expected = float(slow_accuracies(gold, metric, epsilon, average))
            assert accuracy_with_ties(gold, metric, epsilon=epsilon, average=average) == expected


@pytest.mark.parametrize("average", AVERAGES)
def test_calibration_finds_what_trying_every_epsilon_does(average):
    for seed in range(8):
        gold, metric = made_up(seed, decimals=1 if seed % 2 else 8)
        accuracy, epsilon = slow_calibration(gold, metric, average)
        found = calibrate_ties(gold, metric, average=average)
        assert (found.accuracy, found.epsilon) == (float(accuracy), -epsilon)
        assert accuracy_with_ties(gold, metric, epsilon=found.epsilon, average=average) == found.accuracy


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize(("batch", "at_once"), [(3, 10**9), (10**9, 7), (3, 7), (1, 1)])
def test_large_data_are_cut_into_pieces_without_a_trace(monkeypatch, average, batch, at_once):
    data = [made_up(seed, decimals=1 if seed % 2 else 8) for seed in range(4)]
    whole = [(calibrate_ties(*d, average=average), accuracy_with_ties(*d, epsilon=0.3, average=average)) for d in data]
    monkeypatch.setattr("tercet.stats.accuracy._BATCH", batch)
    monkeypatch.setattr("tercet.stats.accuracy._SORTED", at_once)
    cut = [(calibrate_ties(*d, average=average), accuracy_with_ties(*d, epsilon=0.3, average=average)) for d in data]
    assert cut == whole


def test_equal_accuracies_are_equal_exactly_also_with_groups_of_many_sizes():
    """The sizes of 60 segments have no common multiple below 2**62; the smallest of equal epsilons must be found."""
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 4, (60, 60)).astype(float)
    for segment in range(58):
        gold[segment + 2 :, segment] = nan
    metric = np.round(gold + rng.normal(0, 2, gold.shape), 1)
    metric[np.isnan(metric)] = 0
    found = calibrate_ties(gold, metric)
    assert found.accuracy == float(slow_accuracies(gold, metric, found.epsilon, "item"))
    for epsilon in np.unique(np.abs(metric[:, :, np.newaxis] - metric[:, np.newaxis]))[:40]:
        accuracy = accuracy_with_ties(gold, metric, epsilon=epsilon)
        assert accuracy <= found.accuracy
        assert accuracy < found.accuracy or epsilon >= found.epsilon


def test_without_human_ties_nothing_is_gained_and_epsilon_is_0():
    gold, metric = np.array([[1.0, 2], [2, 3], [3, 4]]), np.array([[5.0, 1], [6, 2], [7, 3]])
    found = calibrate_ties(gold, metric)
    assert (found.accuracy, found.epsilon) == (1, 0)


def test_where_all_is_tied_the_largest_difference_is_the_epsilon():
    found = calibrate_ties(np.zeros((3, 1)), [[0.0], [1.0], [5.0]])
    assert (found.accuracy, found.epsilon) == (1, 5)


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("batch", [1, 10**9])
def test_infinite_scores_are_equal_to_each_other_only(monkeypatch, average, batch):
    monkeypatch.setattr("tercet.stats.accuracy._BATCH", batch)
    monkeypatch.setattr("tercet.stats.accuracy._SORTED", batch)
    gold = np.array([[1.0, 1, 2], [1, 1, 2], [3, 4, 5]])
    metric = np.array([[-inf, -inf, 1], [-inf, -inf, 1], [0, 2, inf]])
    ordered = np.array([[-9.0, -9, 1], [-9, -9, 1], [0, 2, 9]])
    expected = accuracy_with_ties(gold, ordered, average=average)
    assert accuracy_with_ties(gold, metric, average=average) == expected
    assert calibrate_ties(gold, metric, average=average).accuracy >= expected


def test_what_is_undefined_is_nan():
    gold = np.array([[1.0, nan], [nan, 2]])
    assert np.isnan(accuracy_with_ties(gold, np.ones((2, 2)), average="item"))
    assert np.isnan(calibrate_ties(gold, np.ones((2, 2))).accuracy)
    assert np.isnan(calibrate_ties(gold, np.ones((2, 2))).epsilon)
    assert not np.isnan(accuracy_with_ties(gold, [[1, nan], [nan, 2]], average="none"))  # nobody judged those
    assert np.isnan(accuracy_with_ties([[1, 2], [3, 4]], [[1, nan], [3, 4]]))
    assert np.isnan(calibrate_ties([[1, 2], [3, 4]], [[1, nan], [3, 4]]).accuracy)
    assert np.isnan(accuracy_with_ties(np.empty((0, 0)), np.empty((0, 0))))


def test_what_makes_no_sense_is_refused():
    with pytest.raises(UsageError, match=r"same shape \(systems, segments\), not \(2, 3\) and \(3, 2\)"):
        accuracy_with_ties(np.ones((2, 3)), np.ones((3, 2)))
    with pytest.raises(UnknownName, match="no way to average called 'items'. Did you mean item?"):
        calibrate_ties(np.ones((2, 3)), np.ones((2, 3)), average="items")
    with pytest.raises(UsageError, match="Epsilon must be 0 or more, not -1"):
        accuracy_with_ties(np.ones((2, 3)), np.ones((2, 3)), epsilon=-1)
    with pytest.raises(UsageError, match=r"shape \(2,\) does not match gold scores of shape \(3,\)"):
        pairwise_accuracy([1, 2, 3], [1, 2])
    with pytest.raises(UsageError, match=r"two square matrices of one shape, not \(2, 2\) and \(3, 3\)"):
        soft_pairwise_accuracy(np.ones((2, 2)), np.ones((3, 3)))
    with pytest.raises(UsageError, match=r"shape \(systems, segments\), not \(3,\)"):
        paired_p_values([1, 2, 3])
    with pytest.raises(UsageError, match=r"shape \(metrics, systems, systems\), not \(2, 3, 4\)"):
        resample_agreement(np.ones((2, 3, 4)))


def test_soft_accuracy_by_hand_reads_the_upper_triangle():
    gold = [[nan, 0.1, 0.5], [nan, nan, 0.9], [nan, nan, nan]]  # as the authors' program fills it
    metric = [[1, 0.2, 0.4], [0, 1, 0.6], [0, 0, 1]]
    assert soft_pairwise_accuracy(gold, metric) == pytest.approx(1 - (0.1 + 0.1 + 0.3) / 3)
    assert soft_pairwise_accuracy(metric, metric) == 1
    assert np.isnan(soft_pairwise_accuracy([[1]], [[1]]))


def test_p_values_approach_those_of_all_exchanges():
    rng = np.random.default_rng(5)
    scores = np.round(rng.normal(0, 1, (3, 8)) + np.array([[0.8], [0.4], [0]]), 1)
    every = (np.arange(256)[:, np.newaxis] >> np.arange(8)) & 1
    found = paired_p_values(scores, resamples=20_000)
    for i, j in ((0, 1), (1, 0), (0, 2), (2, 1)):
        difference = scores[i] - scores[j]
        exact = ((2 * every - 1) @ difference >= difference.sum() - 1e-9).mean()
        assert found[i, j] == pytest.approx(exact, abs=0.015)
    assert (np.diag(found) == 1).all()


def test_p_values_are_draws_of_the_seed_and_shares_of_them():
    scores = np.random.default_rng(6).normal(size=(4, 50))
    p = paired_p_values(scores, resamples=99, seed=7)
    assert np.array_equal(p, paired_p_values(scores, resamples=99, seed=7))
    assert not np.array_equal(p, paired_p_values(scores, resamples=99, seed=8))
    assert np.allclose(p * 100, np.rint(p * 100))
    assert np.array_equal(p[[0, 2]][:, [0, 2]], paired_p_values(scores[[0, 2]], resamples=99, seed=7))
    assert (p >= 0.01).all()  # never 0
    assert paired_p_values([[3, 3, 3, 3, 3, 3, 3], [0, 0, 0, 0, 0, 0, 0]], resamples=999)[0, 1] < 0.03


def test_equal_systems_have_p_1_and_missing_scores_have_none():
    p = paired_p_values([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.3, 0.1, nan]], resamples=20)
    assert p[0, 1] == p[1, 0] == 1
    assert np.isnan(p[2]).all() and np.isnan(p[:, 2]).all()


def test_agreement_is_resampled_by_systems():
    gold, metrics = [1, 2, 3, 4, 5], np.array([[1, 2, 3, 4, 5], [2, 1, 3, 5, 4], [1, nan, 3, 4, 5]])
    found = resample_agreement(agreement_of_pairs(gold, metrics), resamples=200)
    assert found.values == pytest.approx(pairwise_accuracy(gold, metrics), nan_ok=True)
    assert found.n == 5
    assert (found.samples[0][~np.isnan(found.samples[0])] == 1).all()
    assert 0.6 < np.nanmean(found.samples[1]) < 0.9
    assert np.isnan(found.samples[2]).all()
    assert np.isnan(resample_agreement(np.ones((2, 1, 1)), resamples=5).samples).all()

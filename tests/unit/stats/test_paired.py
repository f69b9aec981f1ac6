"""Paired tests against exhaustive and plain oracles, and what must hold for any two systems."""

from fractions import Fraction
from itertools import product
from math import sqrt
from statistics import mean

import numpy as np
import pytest
from benchmarks.calibration import mean_score, mean_simulation, null_samples, ratio_score, ratio_simulation

from tercet.errors import UsageError
from tercet.stats import compare_all, paired, paired_bootstrap, randomisation, resampling
from tercet.stats.resampling import draw_swaps, draw_weights

TESTS = ("bootstrap", "randomisation")
MATRICES = ("difference", "p_value", "low", "high", "standard_error", "wins")


def systems(count=4, n=60, *, whole=True, seed=0):
    """Counts like BLEU's of systems of which each is a little better than the one before."""
    rng = np.random.default_rng(seed)
    length = rng.integers(5, 40, n)
    cube = []
    for system in range(count):
        matches = [rng.binomial(length - i, 0.6 / (i + 1) + 0.01 * system) for i in range(4)]
        cube.append(np.column_stack([length, length + 1, *matches, *(length - i for i in range(4))]))
    return np.stack(cube) + (0.0 if whole else rng.random((count, n, 10)))


def exhaustive_p(first, second):
    """All 2**n exchanges of segment scores, in exact arithmetic."""
    a, b = [Fraction(str(x)) for x in first], [Fraction(str(x)) for x in second]
    observed = abs(sum(a) - sum(b))
    differences = [x - y for x, y in zip(a, b, strict=True)]
    reached = [
        abs(sum(-d if swap else d for d, swap in zip(differences, swaps, strict=True))) >= observed
        for swaps in product((0, 1), repeat=len(a))
    ]
    return sum(reached) / len(reached)


def means(values):
    return np.column_stack([values, np.ones(len(values))])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8], [0, 1, 2, 3, 4, 5, 6, 7]),  # p = 2/256
        ([3, 1, 4, 1, 5, 9, 2, 6], [2, 7, 1, 8, 2, 8, 1, 8]),
        ([3, 5, 4, 4, 5, 9, 2, 6], [2, 4, 1, 2, 4, 8, 3, 4]),
        # Ties that are exact in tenths but not in binary fractions.
        ([0.3, 0.7, 0.2, 0.9, 0.6, 0.1, 0.8, 0.4], [0.1, 0.4, 0.3, 0.6, 0.5, 0.2, 0.7, 0.3]),
        ([0.1, 0.2, 0.3, 0.1, 0.7, 0.2, 0.3, 0.3], [0.2, 0.1, 0.1, 0.3, 0.4, 0.1, 0.1, 0.2]),
    ],
)
def test_randomisation_on_few_segments_is_the_share_of_all_exchanges(first, second, monkeypatch):
    exact = exhaustive_p(first, second)
    result = randomisation(mean_score, means(first), means(second), resamples=5, interval_resamples=0)
    assert (result.p_value, result.resamples) == (exact, 128)
    monkeypatch.setattr(paired, "EXACT_SEGMENTS", 7)  # random exchanges come close to it
    trials = 40_000
    result = randomisation(mean_score, means(first), means(second), resamples=trials, interval_resamples=0)
    assert result.p_value == pytest.approx(exact, abs=4 * sqrt(exact * (1 - exact) / trials) + 1 / trials)
    assert (result.p_value, result.resamples) != (exact, 128)


def test_exact_randomisation_covers_ratios_and_all_batches(monkeypatch):
    first, second = systems(2, n=5)
    observed = abs(ratio_score(first.sum(0)) - ratio_score(second.sum(0)))
    differences = []
    for swaps in product((False, True), repeat=5):
        mask = np.array(swaps)[:, np.newaxis]
        a, b = np.where(mask, second, first).sum(0), np.where(mask, first, second).sum(0)
        differences.append(abs(ratio_score(a) - ratio_score(b)))
    expected = np.mean(np.array(differences) >= observed - 1e-9)
    for cells in (1, 2**18):
        monkeypatch.setattr(resampling, "_SMALL_BATCH", cells)
        monkeypatch.setattr(resampling, "_MIN_ROWS", 1)
        assert randomisation(ratio_score, first, second).p_value == expected


def test_randomisation_equals_a_plain_loop_over_the_same_swaps():
    first, second = systems(2)
    result = randomisation(ratio_score, first, second, resamples=150, interval_resamples=0, seed=4)
    observed = abs(ratio_score(first.sum(0)) - ratio_score(second.sum(0)))
    extreme = 0
    for swaps in np.concatenate(list(draw_swaps(60, 150, seed=4))):
        a = sum(second[i] if swap else first[i] for i, swap in enumerate(swaps))
        b = sum(first[i] if swap else second[i] for i, swap in enumerate(swaps))
        extreme += abs(ratio_score(a) - ratio_score(b)) >= observed
    assert result.p_value == (extreme + 1) / 151
    assert 0.05 < result.p_value < 0.95
    assert np.isnan([result.low, result.high, result.standard_error, result.wins, result.losses]).all()


def test_the_bootstrap_equals_a_plain_loop_over_the_same_resamples():
    first, second = systems(2)
    result = paired_bootstrap(ratio_score, first, second, resamples=150, seed=4)
    observed = ratio_score(first.sum(0)) - ratio_score(second.sum(0))
    differences = []
    for weights in np.concatenate(list(draw_weights(60, 150, seed=4))):
        a = sum(weight * row for weight, row in zip(weights, first, strict=True))
        b = sum(weight * row for weight, row in zip(weights, second, strict=True))
        differences.append(float(ratio_score(a) - ratio_score(b)))
    centre = mean(differences)
    assert result.p_value == (sum(abs(d - centre) >= abs(observed) for d in differences) + 1) / 151
    assert 0.05 < result.p_value < 0.95
    assert result.difference == observed == result.first - result.second
    assert result.wins == mean(d > 0 for d in differences)
    assert result.losses == mean(d < 0 for d in differences)
    assert (result.low, result.high) == pytest.approx(tuple(np.quantile(differences, [0.025, 0.975])), abs=1e-12)
    assert result.standard_error == pytest.approx(np.std(differences, ddof=1), abs=1e-12)


def test_a_clear_difference_has_the_smallest_p_value_there_is():
    first = means(np.arange(40) + 100.0)
    for p, resamples in (
        (paired_bootstrap(mean_score, first, means(np.arange(40)[::-1] * 0.9)).p_value, 1000),
        (randomisation(mean_score, first, means(np.arange(40)[::-1] * 0.9)).p_value, 10_000),
    ):
        assert p == 1 / (resamples + 1)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("score", [mean_score, ratio_score])
@pytest.mark.parametrize("test", TESTS)
def test_a_system_equals_itself(test, score, whole):
    first = systems(1, whole=whole)[0]
    result = compare_all(score, np.stack([first, first]), test=test, resamples=200)
    assert (result.p_value == 1).all()
    for name in ("difference", "low", "high", "standard_error", "wins"):
        assert (getattr(result, name) == 0).all()


@pytest.mark.parametrize("test", TESTS)
def test_systems_with_equal_scores_from_different_segments_have_p_1(test):
    first = means([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
    result = compare_all(mean_score, np.stack([first, first[::-1]]), test=test, resamples=300)
    assert result.p_value[0, 1] == 1


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("test", TESTS)
def test_comparisons_are_symmetric(test, whole):
    cube = systems(3, whole=whole)
    result = compare_all(ratio_score, cube, test=test, resamples=200)
    assert np.array_equal(result.p_value, result.p_value.T)
    assert np.array_equal(result.difference, -result.difference.T)
    assert np.array_equal(result.low, -result.high.T)
    assert np.array_equal(result.standard_error, result.standard_error.T)
    there, back = result.pair(0, 2), compare_all(ratio_score, cube[[2, 0]], test=test, resamples=200).pair(0, 1)
    assert there.p_value == back.p_value
    assert (there.low, there.high) == (-back.high, -back.low)
    assert (there.wins, there.losses) == (back.losses, back.wins)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("test", TESTS)
def test_neither_the_order_nor_the_number_of_systems_changes_a_pair(test, whole):
    cube = systems(5, whole=whole)
    all_pairs = compare_all(ratio_score, cube, test=test, resamples=100)
    order = [3, 0, 4, 2, 1]
    shuffled = compare_all(ratio_score, cube[order], test=test, resamples=100)
    baseline = compare_all(ratio_score, cube, test=test, resamples=100, baseline=2)
    for name in MATRICES:
        assert np.array_equal(getattr(shuffled, name), getattr(all_pairs, name)[np.ix_(order, order)])
        assert np.array_equal(getattr(baseline, name)[2], getattr(all_pairs, name)[2])
        assert np.array_equal(getattr(baseline, name)[:, 2], getattr(all_pairs, name)[:, 2])
        assert np.isnan(getattr(baseline, name)[0, 1])
    assert baseline.pairs == ((2, 0), (2, 1), (2, 3), (2, 4))
    assert len(all_pairs.pairs) == 10
    two = compare_all(ratio_score, cube[[1, 4]], test=test, resamples=100)
    assert two.pair(0, 1) == all_pairs.pair(1, 4)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("test", TESTS)
def test_batches_do_not_change_the_numbers(monkeypatch, test, whole):
    cube = systems(3, whole=whole)
    expected = compare_all(ratio_score, cube, test=test, resamples=100)
    for cells in (1, 60 * 7, 60 * 33):
        monkeypatch.setattr(resampling, "_SMALL_BATCH", cells)
        monkeypatch.setattr(resampling, "_MIN_ROWS", 1)
        result = compare_all(ratio_score, cube, test=test, resamples=100)
        for name in MATRICES:
            assert np.array_equal(getattr(result, name), getattr(expected, name))


@pytest.mark.parametrize("test", TESTS)
def test_two_systems_alone_are_the_pair_in_the_matrix(test):
    cube = systems(3)
    function = paired_bootstrap if test == "bootstrap" else randomisation
    assert function(ratio_score, cube[0], cube[2]) == compare_all(ratio_score, cube, test=test).pair(0, 2)


def test_randomisation_reports_the_interval_of_the_bootstrap():
    first, second = systems(2)
    one, two = paired_bootstrap(ratio_score, first, second), randomisation(ratio_score, first, second)
    assert (one.low, one.high, one.wins, one.standard_error) == (two.low, two.high, two.wins, two.standard_error)
    assert (one.resamples, two.resamples, two.interval_resamples) == (1000, 10_000, 1000)
    assert (two.test, two.n, two.seed, two.confidence) == ("randomisation", 60, 12345, 0.95)


@pytest.mark.parametrize("test", TESTS)
def test_an_undefined_score_has_an_undefined_p_value_and_leaves_other_pairs_alone(test):
    cube = np.stack([means([1.0, 2.0, 4.0]), np.zeros((3, 2)), means([2.0, 3.0, 3.0]), means([np.nan, 1.0, np.inf])])
    result = compare_all(mean_score, cube, test=test, resamples=100)
    alone = compare_all(mean_score, cube[[0, 2]], test=test, resamples=100)
    for broken in (1, 3):
        for name in MATRICES:
            assert np.isnan(getattr(result, name)[broken]).all()
            assert np.isnan(getattr(result, name)[:, broken]).all()
    assert result.pair(0, 2) == alone.pair(0, 1)
    assert np.isfinite(alone.p_value).all()


@pytest.mark.parametrize("test", TESTS)
def test_a_score_that_some_draws_leave_undefined_has_an_undefined_p_value(test):
    # The first system's only judged segment can be drawn away or swapped away.
    cube = np.array([[[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.5, 1.0], [0.2, 1.0]]])
    result = compare_all(mean_score, cube, test=test, resamples=100)
    assert np.isfinite(result.difference).all()
    assert np.isnan(result.p_value[0, 1])
    assert result.p_value[0, 0] == 1


def test_a_constant_difference_has_no_width():
    first = means(np.arange(10) / 10)
    second = means(np.arange(10) / 10 + 0.1)
    result = paired_bootstrap(mean_score, second, first, resamples=50)
    assert result.low == result.high == result.difference
    assert result.standard_error == 0
    assert (result.wins, result.losses) == (1, 0)
    assert result.p_value == 1 / 51


def test_one_system_has_no_pairs():
    result = compare_all(ratio_score, systems(1))
    assert result.pairs == ()
    assert result.p_value.tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "bootstrp"}, "no test called 'bootstrp'. Did you mean bootstrap"),
        ({"baseline": 3}, "baseline must be the number of a system, from 0 to 2, not 3"),
        ({"baseline": -1}, "0 to 2, not -1"),
        ({"resamples": 0}, "at least 1, not 0"),
        ({"resamples": 10**23}, "at most 10000000, not 1000"),
        ({"test": "randomisation", "interval_resamples": -5}, "at least 1, not -5"),
        ({"confidence": 1.0}, "between 0 and 1, not 1.0"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(UsageError, match=message):
        compare_all(ratio_score, systems(3), **options)


def test_systems_on_different_segments_are_refused():
    with pytest.raises(UsageError, match=r"same shape, not \(3, 2\) and \(4, 2\)"):
        paired_bootstrap(mean_score, np.ones((3, 2)), np.ones((4, 2)))


@pytest.mark.parametrize("make", [mean_simulation, ratio_simulation])
def test_both_tests_agree_on_ordinary_data(make):
    simulation = make(np.random.default_rng(0))
    for first, second in null_samples(simulation, n=400, runs=5, seed=1):
        one = paired_bootstrap(simulation.score, first, second, resamples=4000).p_value
        two = randomisation(simulation.score, first, second, resamples=4000, interval_resamples=0).p_value
        assert one == pytest.approx(two, abs=0.06)


def test_names_of_tests_and_the_smallest_p_values_that_they_give():
    few, many = paired.EXACT_SEGMENTS, paired.EXACT_SEGMENTS + 1
    assert paired.test_name("bootstrap", few) == paired.test_name("bootstrap", many) == "paired bootstrap"
    assert paired.test_name("randomisation", few) == "exact randomisation"
    assert paired.test_name("randomisation", many) == "approximate randomisation"
    assert (paired.exchanges(6, 99), paired.exchanges(many, 99)) == (32, 99)
    assert paired.smallest_p_value("randomisation", 6, 99) == 1 / 32
    assert paired.smallest_p_value("randomisation", many, 99) == paired.smallest_p_value("bootstrap", 6, 99) == 0.01


def test_the_bootstrap_of_one_segment_knows_only_that_equal_systems_are_equal():
    cube = np.array([[[1.0, 2.0]], [[1.0, 2.0]], [[2.0, 2.0]]])
    found = compare_all(lambda sums: sums[..., 0] / sums[..., 1], cube, test="bootstrap", resamples=20)
    assert found.p_value[0, 1] == 1
    assert np.isnan(found.p_value[0, 2])

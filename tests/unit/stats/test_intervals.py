"""Intervals against plain oracles, against scipy, and at the edges."""

from statistics import NormalDist, mean, stdev

import numpy as np
import pytest
import scipy.stats
from benchmarks.calibration import mean_score, ratio_score

from tercet.errors import UsageError
from tercet.stats import bootstrap, bootstrap_all, resampling
from tercet.stats.resampling import draw_weights

NORMAL = NormalDist()


def skewed(n=60, seed=3):
    return np.column_stack([np.random.default_rng(seed).exponential(2.0, n), np.ones(n)])


def ngram_counts(systems, n, seed=0):
    rng = np.random.default_rng(seed)
    length = rng.integers(5, 40, (systems, n))
    matches = [rng.binomial(length, share) for share in (0.6, 0.4, 0.25, 0.15)]
    return np.stack([length, length + 1, *matches, *(length - order for order in range(4))], axis=-1).astype(float)


def plain_quantile(values, level):
    values = sorted(values)
    place = level * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (place - below)


def plain_means(counts, resamples, seed):
    return [
        sum(weight * value for weight, value in zip(row, counts[:, 0], strict=True)) / len(counts)
        for row in np.concatenate(list(draw_weights(len(counts), resamples, seed=seed)))
    ]


def test_percentile_bounds_equal_a_plain_computation_on_the_same_draws():
    counts = skewed()
    interval = bootstrap(mean_score, counts, resamples=200, confidence=0.9, seed=5)
    means = plain_means(counts, 200, 5)
    assert interval.value == mean_score(counts.sum(0))
    assert interval.low == pytest.approx(plain_quantile(means, 0.05), abs=1e-12)
    assert interval.high == pytest.approx(plain_quantile(means, 0.95), abs=1e-12)
    assert interval.mean == pytest.approx(mean(means), abs=1e-12)
    assert interval.standard_error == pytest.approx(stdev(means), abs=1e-12)
    assert interval.half_width == (interval.high - interval.low) / 2
    assert (interval.confidence, interval.method, interval.resamples, interval.seed, interval.n) == (
        0.9,
        "percentile",
        200,
        5,
        60,
    )


def test_bca_bounds_equal_a_plain_computation_on_the_same_draws():
    counts = skewed()
    interval = bootstrap(mean_score, counts, resamples=300, method="bca", seed=5)
    means, value = plain_means(counts, 300, 5), mean(counts[:, 0])
    bias = NORMAL.inv_cdf(sum(m < value for m in means) / 300)
    left_out = [(sum(counts[:, 0]) - x) / 59 for x in counts[:, 0]]
    deviations = [mean(left_out) - x for x in left_out]
    acceleration = sum(d**3 for d in deviations) / (6 * sum(d**2 for d in deviations) ** 1.5)
    for bound, tail in ((interval.low, 0.025), (interval.high, 0.975)):
        z = bias + NORMAL.inv_cdf(tail)
        level = NORMAL.cdf(bias + z / (1 - acceleration * z))
        assert bound == pytest.approx(plain_quantile(means, level), abs=1e-9)
    assert acceleration > 0.02  # skewed data: the correction is not idle


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bounds_agree_with_scipy(method):
    counts = skewed(80)
    ours = bootstrap(mean_score, counts, resamples=20_000, method=method)
    theirs = scipy.stats.bootstrap(
        (counts[:, 0],), np.mean, n_resamples=20_000, method=method, rng=np.random.default_rng(1)
    )
    # Both are simulated; at 20,000 resamples a bound varies by about 2 % of the standard error.
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.1 * theirs.standard_error)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.1 * theirs.standard_error)
    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=0.03)


def test_equal_values_count_half_in_the_bias_correction():
    # One segment in ten is 1: the resampled sum equals the observed one in more than a third of the resamples.
    counts = np.column_stack([np.arange(10) == 0, np.ones(10)]).astype(float)
    interval = bootstrap(mean_score, counts, resamples=4000, method="bca")
    sums = np.concatenate(list(draw_weights(10, 4000)))[:, 0]
    share = ((sums < 1).sum() + (sums == 1).sum() / 2) / 4000
    assert 0.5 < share < 0.6  # and not .35 or .74, as without or with all equal ones
    bias = NORMAL.inv_cdf(share)
    deviations = np.where(np.arange(10) == 0, 0.9, -0.1)
    acceleration = (deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5)
    z = bias + NORMAL.inv_cdf(0.975)
    level = NORMAL.cdf(bias + z / (1 - acceleration * z))
    assert interval.high == pytest.approx(np.quantile(sums / 10, level), abs=1e-12)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_one_segment_has_no_interval(method):
    interval = bootstrap(mean_score, np.array([[0.3, 1.0]]), method=method)
    assert interval.value == 0.3
    assert np.isnan([interval.low, interval.high]).all()


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize(
    "counts",
    [np.tile([0.1, 1.0], (23, 1)), np.tile([7.0, 3.0], (5, 1)), np.tile([0.0, 1.0], (4, 1))],
)
def test_a_constant_statistic_has_its_value_as_both_bounds(counts, method):
    interval = bootstrap(mean_score, counts, resamples=50, method=method)
    assert interval.value == interval.low == interval.high == interval.mean
    assert interval.standard_error == 0


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_an_undefined_score_has_no_interval(method):
    always = bootstrap(mean_score, np.zeros((5, 2)), resamples=50, method=method)
    sometimes = bootstrap(mean_score, np.array([[1.0, 1.0], [0.0, 0.0]]), resamples=50, method=method)
    broken = bootstrap(mean_score, np.array([[np.inf, 1.0], [1.0, 1.0]]), resamples=50, method=method)
    assert np.isnan([always.value, always.low, always.high, always.mean]).all()
    assert sometimes.value == 1
    assert np.isnan([sometimes.low, sometimes.high]).all()  # a quarter of the resamples have no score
    assert np.isnan([broken.value, broken.low, broken.high]).all()


def test_bca_is_undefined_where_all_resamples_lie_on_one_side():
    found = [bootstrap(mean_score, skewed(), resamples=1, method="bca", seed=seed) for seed in range(8)]
    assert {interval.mean < interval.value for interval in found} == {True, False}  # on either side
    assert all(np.isnan(interval.low) and np.isnan(interval.high) for interval in found)


def test_two_segments_have_an_interval():
    interval = bootstrap(mean_score, np.array([[1.0, 1.0], [3.0, 1.0]]), resamples=200)
    assert (interval.low, interval.value, interval.high) == (1, 2, 3)


def test_bca_is_undefined_where_the_score_is_undefined_without_one_segment():
    def only_whole(totals):
        return np.where(totals[..., 1] < 60, np.nan, totals[..., 0])

    assert np.isfinite(bootstrap(only_whole, skewed(), resamples=50).low)
    assert np.isnan(bootstrap(only_whole, skewed(), resamples=50, method="bca").low)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("score", [mean_score, ratio_score])
def test_batches_do_not_change_the_numbers(monkeypatch, score, method):
    cube = ngram_counts(3, 40) + (np.random.default_rng(1).random((3, 40, 10)) if score is mean_score else 0)
    expected = bootstrap_all(score, cube, resamples=100, method=method)
    for cells in (1, 40 * 7, 40 * 33):
        monkeypatch.setattr(resampling, "_SMALL_BATCH", cells)
        monkeypatch.setattr(resampling, "_MIN_ROWS", 1)
        assert bootstrap_all(score, cube, resamples=100, method=method) == expected


def test_each_system_has_the_interval_it_has_alone_in_any_order():
    cube = ngram_counts(4, 50) + np.random.default_rng(1).random((4, 50, 10))
    together = bootstrap_all(mean_score, cube, resamples=100)
    assert together == tuple(bootstrap(mean_score, counts, resamples=100) for counts in cube)
    assert bootstrap_all(mean_score, cube[[2, 0, 3, 1]], resamples=100) == tuple(together[i] for i in (2, 0, 3, 1))


def test_a_higher_confidence_is_a_wider_interval():
    counts = skewed()
    widths = [bootstrap(mean_score, counts, confidence=c).half_width for c in (0.5, 0.8, 0.95, 0.99)]
    assert widths == sorted(widths)
    assert len(set(widths)) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resamples": 0}, "at least 1, not 0"),
        ({"confidence": 95}, "confidence must lie between 0 and 1, not 95"),
        ({"confidence": float("nan")}, "confidence must lie"),
        ({"method": "percentil"}, "no interval method called 'percentil'. Did you mean percentile"),
        ({"seed": -1}, "seed must be a whole number and not negative, not -1"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(UsageError, match=message):
        bootstrap(mean_score, skewed(), **options)

"""Power by hand, and by simulation."""

import math

import numpy as np
import pytest
from benchmarks.calibration import mean_score
from scipy.stats import binom, norm

from tercet.errors import UsageError
from tercet.stats import (
    detectable_difference,
    minimum_detectable_difference,
    paired_bootstrap,
    power_of,
    randomisation,
    segments_needed,
)


def means(values):
    return np.column_stack([values, np.ones(len(values))])


def test_the_detectable_difference_is_two_quantiles_times_the_standard_error():
    assert detectable_difference(1.0) == pytest.approx(norm.ppf(0.975) + norm.ppf(0.8), abs=1e-12)
    assert detectable_difference(0.5, alpha=0.01, power=0.9) == pytest.approx(
        0.5 * (norm.ppf(0.995) + norm.ppf(0.9)), abs=1e-12
    )
    assert math.isnan(detectable_difference(math.nan))


def test_for_two_systems_it_comes_from_the_paired_bootstrap():
    rng = np.random.default_rng(0)
    shared = rng.normal(size=400)
    first, second = means(shared + rng.normal(size=400)), means(shared + rng.normal(size=400))
    result = minimum_detectable_difference(mean_score, first, second, seed=3)
    compared = paired_bootstrap(mean_score, first, second, seed=3)
    assert result.standard_error == compared.standard_error
    assert result.difference == compared.difference
    assert result.value == detectable_difference(compared.standard_error)
    # Differences have variance 2, so the standard error of their mean is sqrt(2 / 400): a bootstrap is near it.
    assert result.value == pytest.approx(2.8016 * math.sqrt(2 / 400), rel=0.1)
    assert (result.alpha, result.power, result.resamples, result.seed, result.n) == (0.05, 0.8, 1000, 3, 400)


def test_the_power_of_the_detectable_difference_is_the_power_asked_for():
    assert power_of(detectable_difference(0.3), 0.3) == pytest.approx(0.8, abs=1e-5)
    assert power_of(-detectable_difference(0.3, power=0.95), 0.3) == pytest.approx(0.95, abs=1e-5)


def test_the_power_against_no_difference_is_the_level():
    assert power_of(0.0, 1.0) == pytest.approx(0.05, abs=1e-12)
    assert power_of(0.0, 1.0, alpha=0.01) == pytest.approx(0.01, abs=1e-12)
    assert power_of(0.0, 0.0) == 0.05
    assert power_of(0.1, 0.0) == 1.0
    assert math.isnan(power_of(math.nan, 1.0))
    assert math.isnan(power_of(1.0, math.nan))
    assert math.isnan(power_of(math.nan, 0.0))


def test_segments_needed_grow_with_the_square_of_the_ratio():
    error = 0.5
    here = detectable_difference(error)
    assert segments_needed(here / 2, error, 400) == 1600
    assert segments_needed(-here * 2, error, 400) == 100
    assert segments_needed(here * 1000, error, 400) == 1
    assert segments_needed(here * 0.999, error, 400) == 401
    assert segments_needed(0.0, error, 400) == math.inf
    assert segments_needed(0.1, 0.0, 400) == 1
    assert math.isnan(segments_needed(math.nan, error, 400))
    assert math.isnan(segments_needed(0.1, math.nan, 400))
    assert segments_needed(1.0, 1.0, 1) == 8  # of a standard error of one segment: (1.96 + 0.84)**2 = 7.85


def test_a_true_difference_of_that_size_is_found_with_that_power():
    """300 runs with a known standard error; the limits hold in all but 1 of 1,000 such tests."""
    rng, n, runs = np.random.default_rng(8), 200, 300
    difference = detectable_difference(math.sqrt(2 / n))
    found = {"bootstrap": 0, "randomisation": 0}
    for run in range(runs):
        shared = rng.normal(size=n)
        first, second = means(shared + rng.normal(size=n) + difference), means(shared + rng.normal(size=n))
        one = paired_bootstrap(mean_score, first, second, resamples=300, seed=run)
        two = randomisation(mean_score, first, second, resamples=300, interval_resamples=0, seed=run)
        found["bootstrap"] += one.p_value <= 0.05
        found["randomisation"] += two.p_value <= 0.05
    for count in found.values():
        assert binom.ppf(0.0005, runs, 0.8) <= count <= binom.ppf(0.9995, runs, 0.8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: detectable_difference(1.0, power=1.0), "power must lie between 0 and 1, not 1.0"),
        (lambda: detectable_difference(1.0, alpha=0.0), "significance level must lie"),
        (lambda: power_of(1.0, 1.0, alpha=2), "significance level must lie between 0 and 1, not 2"),
        (lambda: segments_needed(1.0, 1.0, 0), "at least one segment, not 0"),
    ],
)
def test_wrong_options_are_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()

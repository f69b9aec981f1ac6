"""The reduced form of benchmarks/calibration.py: tests reject true null hypotheses, and intervals miss, in 5 %.

The limits come from the binomial distribution: a right procedure leaves them in 1 of 1,000 such tests (and with fixed
seeds always or never), while one whose true rate is below 1 % or above 12 % is found out nearly always.
"""

import numpy as np
import pytest
from benchmarks.calibration import coverage, main, mean_simulation, ratio_simulation, rejections
from scipy.stats import binom

RUNS = 400
LOW, HIGH = binom.ppf(0.0005, RUNS, 0.05), binom.ppf(0.9995, RUNS, 0.05)


@pytest.fixture(scope="module", params=[mean_simulation, ratio_simulation], ids=["mean", "ratio"])
def simulation(request):
    return request.param(np.random.default_rng(1))


def test_the_limits_would_find_a_wrong_rate():
    for wrong in (0.01, 0.12):
        assert binom.cdf(HIGH, RUNS, wrong) - binom.cdf(LOW - 1, RUNS, wrong) < 0.15


def test_paired_tests_reject_true_null_hypotheses_as_often_as_they_say(simulation):
    for outcome in rejections(simulation, n=200, runs=RUNS, resamples=199, seed=11):
        assert LOW <= outcome.hits <= HIGH, outcome


def test_intervals_miss_the_truth_as_often_as_they_say(simulation):
    for outcome in coverage(simulation, n=200, runs=RUNS, resamples=199, seed=12):
        assert LOW <= RUNS - outcome.hits <= HIGH, outcome


def test_the_benchmark_prints_a_table_and_fails_where_a_rate_is_outside(capsys):
    status = main(["--runs", "2", "--segments", "60", "--resamples", "20"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 11
    assert sum(line.endswith(("ok", "OUTSIDE")) for line in lines) == 8
    assert status == (1 if any(line.endswith("OUTSIDE") for line in lines) else 0)
    assert status == 1  # two runs cannot give a rate within 3.5 to 6.5 %


@pytest.mark.parametrize("n", [2, 5, 6, 9, 10, 15, 30])
def test_randomisation_keeps_its_level_on_few_segments(simulation, n):
    for outcome in rejections(simulation, n=n, runs=RUNS, resamples=199, seed=13):
        if outcome.procedure == "randomisation":
            assert (LOW if n >= 10 else 0) <= outcome.hits <= HIGH, outcome
            assert n >= 6 or not outcome.hits  # nothing can be significant there
        elif n <= 9:
            assert outcome.hits > HIGH, outcome  # why the bootstrap does not decide

"""What holds for the statistics of any counts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tercet.stats import bootstrap, bootstrap_all, compare_all, holm, rank

TESTS = st.sampled_from(["bootstrap", "randomisation"])
METHODS = st.sampled_from(["percentile", "bca"])


def ratio(totals):
    return totals[..., 0] / (1 + totals[..., 1])


@st.composite
def cubes(draw, *, systems=3):
    """Counts of some systems on 1 to 12 segments: small whole numbers, with many ties, or fractions."""
    shape = systems, draw(st.integers(2, 12)), 2  # of one segment nothing is known
    numbers = draw(
        st.sampled_from([st.integers(0, 3), st.integers(0, 10**6), st.floats(0, 100, allow_subnormal=False)])
    )
    flat = draw(st.lists(numbers, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    return np.array(flat, dtype=np.float64).reshape(shape)


@given(cubes(), TESTS)
def test_p_values_are_shares_of_the_draws_and_comparisons_are_symmetric(cube, test):
    result = compare_all(ratio, cube, test=test, resamples=39, interval_resamples=39)
    draws = 40 if test == "bootstrap" else 2 ** (cube.shape[1] - 1)  # few segments: exact
    assert ((result.p_value >= 1 / draws) & (result.p_value <= 1)).all()
    assert np.allclose(np.rint(result.p_value * draws), result.p_value * draws, atol=1e-9)
    assert np.array_equal(result.p_value, result.p_value.T)
    assert (np.diag(result.p_value) == 1).all()
    assert np.array_equal(result.difference, result.scores[:, np.newaxis] - result.scores)
    assert (result.low <= result.high).all()
    assert (result.wins + result.wins.T <= 1).all()


@given(cubes(systems=2), TESTS)
def test_identical_systems_have_p_1(cube, test):
    result = compare_all(ratio, cube[[0, 1, 0]], test=test, resamples=39)
    assert result.p_value[0, 2] == 1
    assert result.p_value[0, 1] == result.p_value[2, 1]


@given(cubes(systems=4), TESTS, st.permutations(range(4)))
def test_a_pair_does_not_depend_on_the_other_systems_or_their_order(cube, test, order):
    result = compare_all(ratio, cube, test=test, resamples=30)
    shuffled = compare_all(ratio, cube[order], test=test, resamples=30)
    pair = compare_all(ratio, cube[[1, 3]], test=test, resamples=30).pair(0, 1)
    assert np.array_equal(shuffled.p_value, result.p_value[np.ix_(order, order)])
    assert np.array_equal(shuffled.low, result.low[np.ix_(order, order)])
    assert pair == result.pair(1, 3)


@given(cubes(systems=2), TESTS, st.sampled_from([2.0**-30, 0.01, 100.0, 2.0**20]))
def test_the_unit_of_the_score_does_not_change_p_values(cube, test, unit):
    one = compare_all(ratio, cube, test=test, resamples=30).p_value
    other = compare_all(lambda totals: unit * ratio(totals), cube, test=test, resamples=30).p_value
    assert np.array_equal(one, other)


@given(cubes(), METHODS)
def test_bounds_are_ordered_and_each_system_has_those_it_has_alone(cube, method):
    together = bootstrap_all(ratio, cube, resamples=30, method=method)
    for counts, interval in zip(cube, together, strict=True):
        alone = bootstrap(ratio, counts, resamples=30, method=method)
        # As text, because NaN, the bound of an undefined interval, equals nothing.
        assert repr(alone) == repr(interval)
        assert interval.value == ratio(counts.sum(0))
        assert not interval.low > interval.high


@given(st.lists(st.floats(0, 1) | st.just(float("nan")), max_size=12), st.randoms(use_true_random=False))
def test_holm_keeps_the_order_of_p_values_and_never_lowers_one(p_values, random):
    p = np.array(p_values)
    corrected = holm(p)
    assert np.array_equal(np.isnan(corrected), np.isnan(p))
    known = ~np.isnan(p)
    assert (corrected[known] >= p[known]).all()
    assert (corrected[known] <= 1).all()
    assert (np.diff(corrected[known][np.argsort(p[known])]) >= 0).all()
    order = list(range(len(p)))
    random.shuffle(order)
    assert np.array_equal(holm(p[order]), corrected[order], equal_nan=True)


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.permutations(range(n)), st.integers(0, 2**32 - 1))))
def test_clusters_divide_the_systems_and_fit_the_rank_ranges(drawn):
    scores, seed = drawn
    count = len(scores)
    p = np.random.default_rng(seed).choice([0.01, 0.5], (count, count), p=[0.8, 0.2])
    p = np.triu(p, 1) + np.triu(p, 1).T
    result = rank(scores, p, higher_is_better=True)
    assert [system for cluster in result.clusters for system in cluster] == list(result.order)
    assert [scores[system] for system in result.order] == sorted(scores, reverse=True)
    begin = 1
    for cluster in result.clusters:
        for system in cluster:
            best, worst = result.ranges[system]
            assert begin <= best <= worst <= begin + len(cluster) - 1
        begin += len(cluster)

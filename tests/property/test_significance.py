"""What holds for the tests and intervals of any metrics."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tercet.stats.clusters import not_outperformed
from tercet.stats.correlation_bootstrap import resample_correlations, resample_judgements, separate
from tercet.stats.permutation import KINDS, LEVELS, permutation_test
from tercet.stats.williams import williams, williams_matrix

NAMES = st.sampled_from(["pearson", "spearman", "kendall"])
WHOLE, FRACTIONS = st.integers(0, 4).map(float), st.integers(-5000, 5000).map(lambda x: x / 7)


def numbers(*shape):
    """Small whole numbers with many ties, or fractions."""
    return st.sampled_from([WHOLE, FRACTIONS]).flatmap(lambda elements: arrays(np.float64, shape, elements=elements))


@given(numbers(3, 9), st.integers(4, 40), st.booleans())
def test_williams_gives_probabilities_that_mirror_each_other(rows, n, two_sided):
    assume(all(len(set(row)) > 2 for row in rows))
    r = np.corrcoef(rows).clip(-1, 1)
    p = williams(r[0, 1], r[0, 2], r[1, 2], n, two_sided=two_sided)
    q = williams(r[0, 2], r[0, 1], r[1, 2], n, two_sided=two_sided)
    assert 0 <= p <= 1
    assert np.isclose(p, q if two_sided else 1 - q, atol=1e-12)
    if not two_sided and 1 - abs(r[1, 2]) > 1e-9:
        assert (p < 0.5) == (r[0, 1] > r[0, 2]) or np.isclose(p, 0.5, atol=1e-6)


@given(numbers(5, 8), st.permutations(range(4)), st.sampled_from([-2.0, 0.5, 64.0]))
def test_williams_does_not_depend_on_units_or_on_the_order_of_metrics(rows, order, unit):
    gold, metrics = rows[0], rows[1:]
    p = williams_matrix(gold, metrics)
    assert np.allclose(williams_matrix(gold, metrics[order]), p[np.ix_(order, order)], atol=1e-6, equal_nan=True)
    assert np.allclose(williams_matrix(gold * abs(unit), metrics * unit), p, atol=1e-6, equal_nan=True)


@given(numbers(5, 8))
def test_the_metric_with_the_highest_correlation_always_wins(rows):
    p = williams_matrix(rows[0], rows[1:])
    winners = not_outperformed(p)
    defined = ~np.isnan(np.diag(p))
    assert winners.any() == defined.any()
    if defined.any():
        size = [abs(np.corrcoef(rows[0], row)[0, 1]) if ok else -1 for row, ok in zip(rows[1:], defined, strict=True)]
        assert winners[int(np.argmax(size))]


@given(numbers(7), numbers(3, 7), NAMES)
def test_resampled_correlations_are_correlations(gold, metrics, name):
    result = resample_correlations(name, gold, metrics, resamples=30)
    defined = result.samples[~np.isnan(result.samples)]
    assert ((defined >= -1) & (defined <= 1)).all()
    for interval in result.intervals():
        assert np.isnan(interval.low) or -1 <= interval.low <= interval.high <= 1
    above = separate(result.intervals())
    assert not (above & above.T).any()


@given(numbers(7), numbers(2, 7), NAMES)
def test_turning_a_metric_round_turns_its_interval_round(gold, metrics, name):
    ours, turned = (resample_correlations(name, gold, x, resamples=30) for x in (metrics, -metrics))
    assert np.allclose(ours.samples, -turned.samples, atol=1e-9, equal_nan=True)


@given(numbers(4, 6), numbers(2, 4, 6), NAMES)
def test_segments_drawn_leave_systems_in_place(gold, metrics, name):
    result = resample_correlations(name, gold, metrics, unit="segments", resamples=20)
    order = [2, 0, 3, 1]
    moved = resample_correlations(name, gold[order], metrics[:, order], unit="segments", resamples=20)
    assert np.allclose(result.samples, moved.samples, atol=1e-9, equal_nan=True)


@given(numbers(24), numbers(2, 4), NAMES)
def test_judgements_that_are_all_one_unit_never_vary(values, metrics, name):
    systems = np.tile(np.arange(4), 6)
    result = resample_judgements(name, values, systems, metrics, units=np.zeros(24), resamples=5)
    assert np.array_equal(result.samples, np.repeat(result.values[:, np.newaxis], 5, axis=1), equal_nan=True)
    assert np.isnan([x.low for x in result.intervals()]).all()


@given(numbers(4, 5), numbers(3, 4, 5), NAMES, st.sampled_from(KINDS), st.sampled_from(LEVELS), st.booleans())
def test_permutation_p_values_are_shares_of_the_draws(gold, metrics, name, kind, level, two_sided):
    how = {"statistic": name, "kind": kind, "level": level, "two_sided": two_sided, "resamples": 9}
    result = permutation_test(gold, metrics, **how)
    p = result.p_value[~np.isnan(result.p_value)]
    assert np.allclose(np.rint(p * 10), p * 10)
    assert ((p >= 0.1) & (p <= 1)).all()
    diagonal = np.diag(result.p_value)
    assert ((diagonal == 1) | np.isnan(diagonal)).all()
    equal = permutation_test(gold, np.stack([metrics[0], metrics[0]]), **how).p_value
    assert ((equal == 1) | np.isnan(equal)).all()

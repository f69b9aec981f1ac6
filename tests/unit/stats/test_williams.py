"""Williams' test against its formula in high precision, its size under the null, and what has no p-value."""

from decimal import Decimal, getcontext

import numpy as np
import pytest
from scipy import integrate, stats

from tercet.errors import UsageError
from tercet.stats.clusters import not_outperformed, outperforms, rank
from tercet.stats.williams import williams, williams_matrix

nan = float("nan")


def slow_p(r12, r13, r23, n):
    """The statistic in decimal arithmetic, its determinant by Sarrus' rule; the tail by integrating the density."""
    getcontext().prec = 50
    a, b, c = (Decimal(r) for r in (r12, r13, r23))
    rows = [[Decimal(1), a, b], [a, Decimal(1), c], [b, c, Decimal(1)]]
    determinant = sum(
        rows[0][i] * rows[1][(i + 1) % 3] * rows[2][(i + 2) % 3] - rows[0][i] * rows[1][i - 1] * rows[2][i - 2]
        for i in range(3)
    )
    mean = (a + b) / 2
    below = 2 * determinant * (n - 1) / (n - 3) + mean * mean * (1 - c) * (1 - c) * (1 - c)
    t = float((a - b) * ((n - 1) * (1 + c) / below).sqrt())
    density = stats.t(n - 3).pdf
    tail, _ = integrate.quad(density, 0, abs(t), epsabs=1e-13, epsrel=1e-12)
    return 0.5 - tail if t > 0 else 0.5 + tail


@pytest.mark.parametrize(
    ("r12", "r13", "r23", "n"),
    [
        (0.9, 0.8, 0.85, 11),
        (0.8, 0.9, 0.85, 11),
        (0.99, 0.98, 0.995, 22),
        (0.4, 0.4, 0.1, 16),
        (-0.3, 0.5, -0.2, 560),
        (0.52, 0.51, 0.999, 4),
    ],
)
def test_p_is_that_of_the_formula(r12, r13, r23, n):
    assert float(williams(r12, r13, r23, n)) == pytest.approx(slow_p(r12, r13, r23, n), abs=1e-11)
    two = 2 * min(slow_p(r12, r13, r23, n), slow_p(r13, r12, r23, n))
    assert float(williams(r12, r13, r23, n, two_sided=True)) == pytest.approx(two, abs=1e-11)


def test_arrays_give_what_their_numbers_give():
    r12, n = np.array([[0.9], [0.7]]), np.array([11, 16, 3])
    p = williams(r12, 0.6, 0.5, n)
    assert p.shape == (2, 3)
    assert p[1, 0] == williams(0.7, 0.6, 0.5, 11)
    assert np.isnan(p[:, 2]).all()


@pytest.mark.parametrize("noise", [0.0, 1e-15, 9e-10])
@pytest.mark.parametrize("r12", [0.7, 0.7 + 1e-12, -0.2, 1.0])
def test_equal_metrics_do_not_beat_each_other(r12, noise):
    assert williams(r12, 0.7, 1 - noise, 11) == 0.5
    assert williams(r12, 0.7, 1 - noise, 11, two_sided=True) == 1


@pytest.mark.parametrize("noise", [0.0, 1e-15, 9e-10])
@pytest.mark.parametrize("r12", [0.7, -0.2, 0.0])
def test_a_metric_and_its_opposite_are_told_apart_as_nearly_opposite_ones_are(r12, noise):
    assert williams(r12, -r12, noise - 1, 11) == pytest.approx(slow_p(r12, -r12, 1e-12 - 1, 11), abs=1e-9)
    assert williams(-r12, r12, noise - 1, 11) == pytest.approx(slow_p(-r12, r12, 1e-12 - 1, 11), abs=1e-9)


def test_a_metric_that_people_agree_with_wholly_beats_its_opposite():
    assert (williams(1.0, -1.0, -1.0, 11), williams(-1.0, 1.0, -1.0, 11)) == (0, 1)
    gold = np.array([1.0, 0, 3, 2, 5, 4, 7, 6])
    scores = np.arange(8.0)
    p = williams_matrix(gold, np.stack([scores, -scores]), absolute=False)
    assert p[0, 1] < 0.01 and not_outperformed(p).tolist() == [True, False]
    assert (williams_matrix(gold, np.stack([scores, -scores])) == 0.5).all()


def test_metrics_that_are_nearly_equal_are_still_told_apart():
    assert williams(0.9, 0.8999, 1 - 2e-8, 30) < 0.01


def test_rounding_in_the_determinant_does_not_make_nan():
    x = np.array([1.0, 2, 3, 4, 5.5])
    y = x + 1e-4 * np.array([1, -1, 1, -1, 1])
    r = np.corrcoef([x + y, x, y])  # people are the sum: the three series span a plane
    assert np.linalg.det(r) == pytest.approx(0, abs=1e-15)
    assert 0 <= williams(r[0, 1], r[0, 2], r[1, 2], 5) <= 1


@pytest.mark.parametrize("at", range(3))
def test_an_undefined_correlation_has_no_p_value(at):
    r = [0.5, 0.4, 1.0]
    r[at] = nan
    assert np.isnan(williams(*r, 11))


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_there_must_be_more_than_three_systems(n):
    assert np.isnan(williams(0.5, 0.4, 0.3, n))
    assert np.isnan(williams(0.5, 0.4, 1.0, n))


def test_what_is_no_correlation_is_refused():
    with pytest.raises(UsageError, match="takes correlations, which lie between -1 and 1"):
        williams(1.2, 0.4, 0.3, 10)


@pytest.mark.parametrize("n", [8, 15])
def test_the_size_is_the_level_where_two_metrics_are_equally_good(n):
    trials = 20_000
    rng = np.random.default_rng(5)
    people = rng.normal(size=(trials, n))
    shared = rng.normal(size=(trials, n))
    first, second = (people + 0.7 * shared + 0.7 * rng.normal(size=(trials, n)) for _ in range(2))

    def r(x, y):
        x, y = x - x.mean(1, keepdims=True), y - y.mean(1, keepdims=True)
        return (x * y).sum(1) / np.sqrt((x * x).sum(1) * (y * y).sum(1))

    correlations = r(people, first), r(people, second), r(first, second)
    for two_sided in (False, True):
        p = williams(*correlations, n, two_sided=two_sided)
        for level in (0.01, 0.05, 0.2):
            # An approximation: for few systems it rejects too seldom (.0085 instead of .01 with 8), never too often.
            error = 4 * np.sqrt(level * (1 - level) / trials)
            assert 0.8 * level - error < (p < level).mean() < level + error


def example():
    rng = np.random.default_rng(2)
    gold = rng.normal(size=14)
    noise = np.array([[0.2], [0.5], [0.9], [3.0]])
    metrics = gold + noise * rng.normal(size=(4, 14))
    metrics[2] *= -1
    return gold, metrics


def test_the_matrix_has_every_pair_of_rows_against_columns():
    gold, metrics = example()
    p = williams_matrix(gold, metrics, absolute=False)
    r = np.corrcoef([gold, *metrics])
    for i in range(4):
        for j in range(4):
            if i != j:
                assert p[i, j] == pytest.approx(
                    float(williams(r[0, i + 1], r[0, j + 1], r[i + 1, j + 1], 14)), abs=1e-12
                )
    assert np.diag(p).tolist() == [0.5] * 4
    assert np.allclose(p + p.T, 1)
    assert p[0, 2] < 1e-6 < 0.99 < p[2, 0]  # signed: the metric that was turned round loses


def test_in_absolute_terms_a_metric_may_be_turned_round():
    gold, metrics = example()
    turned = metrics * np.array([[1], [-3], [-1], [1]])
    p = williams_matrix(gold, metrics)
    assert np.allclose(williams_matrix(gold, turned), p, atol=1e-12)
    assert np.allclose(p, williams_matrix(gold, metrics * [[1], [1], [-1], [1]], absolute=False), atol=1e-12)


def test_metrics_without_a_correlation_have_no_p_values_and_do_not_disturb_others():
    gold, metrics = example()
    bad = np.vstack([metrics, np.full(14, 0.1), np.where(np.arange(14) == 3, nan, metrics[0])])
    p = williams_matrix(gold, bad)
    assert np.allclose(p[:4, :4], williams_matrix(gold, metrics), rtol=1e-12)
    assert np.isnan(p[4:]).all()
    assert np.isnan(p[:, 4:]).all()
    assert not_outperformed(p).tolist() == [True, *not_outperformed(p)[1:4], False, False]
    assert np.isnan(williams_matrix(np.ones(14), metrics)).all()


@pytest.mark.parametrize(("gold", "metrics"), [((3,), (2, 4)), ((3, 1), (2, 3)), ((3,), (3,))])
def test_shapes_must_fit(gold, metrics):
    with pytest.raises(UsageError, match="do not match metrics of shape"):
        williams_matrix(np.ones(gold), np.ones(metrics))


def test_winners_are_those_that_nobody_beats():
    p = np.array([[0.5, 0.04, 0.2], [0.96, 0.5, 0.01], [0.8, 0.99, 0.5]])
    assert not_outperformed(p).tolist() == [True, False, False]
    assert not_outperformed(p, 0.03).tolist() == [True, True, False]
    assert not_outperformed(p, 0.04).tolist() == [True, True, False]  # p = alpha is not significant
    assert not_outperformed(p, 0.005).all()
    assert not_outperformed([[0.01]]).tolist() == [True]  # nobody beats itself
    assert np.argwhere(outperforms(p)).tolist() == [[0, 1], [1, 2]]  # at level .05


def test_p_values_of_both_sides_need_scores_to_tell_who_wins():
    p = np.array([[1, 0.02], [0.02, 1]])
    assert not_outperformed(p, scores=[0.3, 0.9]).tolist() == [False, True]
    assert not_outperformed(p).tolist() == [False, False]
    assert not_outperformed(p, scores=[0.9, 0.9]).tolist() == [True, True]


def test_what_is_not_a_matrix_of_pairs_is_refused():
    with pytest.raises(UsageError, match=r"shape \(metrics, metrics\), not \(2, 3\)"):
        not_outperformed(np.ones((2, 3)))
    with pytest.raises(UsageError, match=r"Scores of shape \(3,\) do not match p-values of shape \(2, 2\)"):
        not_outperformed(np.ones((2, 2)), scores=[1, 2, 3])
    with pytest.raises(UsageError, match="The significance level must lie between 0 and 1"):
        not_outperformed(np.ones((2, 2)), 5)


def test_clusters_of_metrics_come_from_the_same_p_values():
    gold, metrics = example()
    size = np.abs(np.corrcoef([gold, *metrics])[0, 1:])
    ranking = rank(size, williams_matrix(gold, metrics), higher_is_better=True)
    winners = np.flatnonzero(not_outperformed(williams_matrix(gold, metrics))).tolist()
    assert ranking.order[0] in winners
    assert set(winners) <= set(ranking.clusters[0])
    assert 3 not in ranking.clusters[0]

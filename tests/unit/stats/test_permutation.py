"""Permutation tests against a literal exchange of scores with the same draws, and their size under the null."""

import numpy as np
import pytest
from scipy import stats

from tercet.errors import UnknownName, UsageError
from tercet.stats import permutation, resampling
from tercet.stats.clusters import not_outperformed
from tercet.stats.correlation import pearson
from tercet.stats.permutation import KINDS, LEVELS, permutation_test
from tercet.stats.resampling import draw_swaps

nan = float("nan")
SCIPY = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
}


def scores(metrics=3, systems=6, segments=12, seed=0, noise=(1.0, 1.3, 3.0, 1.1)):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, 1))
    gold = 70 + 10 * quality + 10 * rng.normal(size=(systems, segments))
    cells = [quality + scale * rng.normal(size=(systems, segments)) for scale in noise[:metrics]]
    return gold, np.stack([20 * i + 10**i * x for i, x in enumerate(cells)])  # each in its own unit


def correlation(name, level, x, gold):
    if level == "system":
        return SCIPY[name](x.mean(1), np.nanmean(gold, 1))
    judged = ~np.isnan(gold)
    if level == "global":
        return SCIPY[name](x[judged], gold[judged])
    return np.mean([SCIPY[name](a[w], b[w]) for a, b, w in zip(x.T, gold.T, judged.T, strict=True)])


def slow_p(name, kind, level, gold, x, y, resamples, seed):
    """One-sided and two-sided."""
    counted = ~np.isnan(gold) | (level == "system")
    x, y = ((z - z[counted].mean()) / z[counted].std() for z in (x, y))
    observed = correlation(name, level, x, gold) - correlation(name, level, y, gold)
    rows = permutation._system_swaps(kind, len(gold), resamples, seed)
    columns = np.concatenate(list(draw_swaps(gold.shape[1], resamples, seed=seed))).astype(bool)
    hits = np.zeros(2)
    for row, column in zip(rows, columns, strict=True):
        a, b = x.copy(), y.copy()
        if kind != "perm-inputs":
            a[row], b[row] = b[row].copy(), a[row].copy()
        if kind != "perm-systems":
            a[:, column], b[:, column] = b[:, column].copy(), a[:, column].copy()
        delta = correlation(name, level, a, gold) - correlation(name, level, b, gold)
        hits += [delta >= observed - 1e-12, abs(delta) >= abs(observed) - 1e-12]
    return ((1 + hits) / (1 + resamples)).tolist()


@pytest.mark.parametrize("name", SCIPY)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_p_values_are_those_of_exchanging_scores_one_by_one(kind, level, name):
    gold, metrics = scores()
    resamples = 60 if level == "system" else 9
    how = {"kind": kind, "level": level, "statistic": name, "resamples": resamples, "seed": 4}
    one, two = (permutation_test(gold, metrics, two_sided=two_sided, **how) for two_sided in (False, True))
    for i, j in ((0, 1), (2, 0)):
        expected = slow_p(name, kind, level, gold, metrics[i], metrics[j], resamples, 4)
        assert [one.p_value[i, j], two.p_value[i, j]] == pytest.approx(expected, abs=1e-15)
    assert np.array_equal(two.p_value, two.p_value.T)
    assert np.allclose(one.values, [correlation(name, level, x, gold) for x in metrics], atol=1e-12)
    assert np.array_equal(one.difference, one.values[:, np.newaxis] - one.values)
    assert (two.kind, two.level, two.two_sided) == (kind, level, True)
    assert (one.resamples, one.seed, one.systems, one.segments) == (resamples, 4, 6, 12)


@pytest.mark.parametrize("level", ["segment", "global"])
@pytest.mark.parametrize("name", ["pearson", "kendall"])
def test_scores_that_nobody_judged_do_not_count(level, name):
    gold, metrics = scores()
    gold[np.arange(6), np.arange(6)] = nan
    result = permutation_test(gold, metrics[:2], level=level, statistic=name, resamples=20, seed=4)
    expected, _ = slow_p(name, "perm-both", level, gold, metrics[0], metrics[1], 20, 4)
    assert result.p_value[0, 1] == pytest.approx(expected, abs=1e-15)
    metrics[0, np.arange(6), np.arange(6)], metrics[1, np.arange(6), np.arange(6)] = nan, 1e9
    again = permutation_test(gold, metrics[:2], level=level, statistic=name, resamples=20, seed=4)
    assert again.p_value.tolist() == result.p_value.tolist()


def test_segments_in_which_people_or_a_metric_see_no_difference_are_left_out():
    gold, metrics = scores()
    gold[:, 3] = 50
    gold[:, 5] = nan
    metrics[0, :, 7] = 0.1
    for name in SCIPY:
        result = permutation_test(gold, metrics, level="segment", statistic=name, kind="perm-inputs", resamples=10)
        first, second = ([j for j in range(12) if j not in out] for out in ((3, 5, 7), (3, 5)))
        assert result.values[0] == pytest.approx(correlation(name, "segment", metrics[0][:, first], gold[:, first]))
        assert result.values[1] == pytest.approx(correlation(name, "segment", metrics[1][:, second], gold[:, second]))
        assert not np.isnan(result.p_value).any()


def test_gold_scores_of_systems_suffice_for_system_level():
    gold, metrics = scores()
    one = permutation_test(gold, metrics, resamples=50)
    assert np.array_equal(one.p_value, permutation_test(gold.mean(1), metrics, resamples=50).p_value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("two_sided", [False, True])
def test_metrics_that_are_equal_but_for_their_unit_have_p_1(kind, level, two_sided):
    gold, metrics = scores(1)
    equal = np.stack([metrics[0], metrics[0], 0.1 + 3 * metrics[0]])
    result = permutation_test(gold, equal, kind=kind, level=level, two_sided=two_sided, resamples=20)
    assert (result.p_value == 1).all()


@pytest.mark.parametrize("level", LEVELS)
def test_perfect_correlations_never_exceed_one(level):
    rng = np.random.default_rng(0)
    for gold in rng.normal(size=(60, 7, 4)):
        values = permutation_test(gold, [3 * gold + 1, -gold], level=level, resamples=1).values
        assert values == pytest.approx([1, -1])
        assert np.abs(values).max() <= 1


def test_a_clearly_better_metric_wins():
    gold, metrics = scores(systems=12, segments=200, noise=(0.5, 20.0, 20.0))
    result = permutation_test(gold, metrics, resamples=500)
    assert result.p_value[0, 1] < 0.01
    assert result.p_value[1, 0] > 0.99
    assert not_outperformed(result.p_value)[0]
    assert not not_outperformed(result.p_value)[1]


def test_one_sided_p_values_of_the_two_directions_add_up_to_more_than_one():
    gold, metrics = scores()
    p = permutation_test(gold, metrics, resamples=200).p_value
    assert ((p + p.T) >= 1).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_pair_does_not_depend_on_other_metrics_or_on_batches(kind, monkeypatch):
    gold, metrics = scores(4, segments=70)
    whole = permutation_test(gold, metrics, kind=kind, resamples=100).p_value
    assert np.array_equal(
        whole[np.ix_([1, 3], [1, 3])], permutation_test(gold, metrics[[1, 3]], kind=kind, resamples=100).p_value
    )
    for small in (1, 500):
        monkeypatch.setattr(resampling, "_SMALL_BATCH", small)
        monkeypatch.setattr(resampling, "_MIN_ROWS", 1)
        assert np.array_equal(permutation_test(gold, metrics, kind=kind, resamples=100).p_value, whole)


def test_the_exchanges_of_systems_and_of_segments_are_independent():
    rows = permutation._system_swaps("perm-both", 20, 500, 7)
    columns = np.concatenate(list(draw_swaps(20, 500, seed=7))).astype(bool)
    assert rows.mean() == pytest.approx(0.5, abs=0.03)
    assert (rows ^ columns).mean() == pytest.approx(0.5, abs=0.03)
    assert not permutation._system_swaps("perm-inputs", 20, 500, 7).any()


@pytest.mark.parametrize("level", LEVELS)
def test_what_has_no_correlation_has_no_p_value_and_does_not_disturb_others(level):
    gold, metrics = scores()
    constant, missing = np.full_like(metrics[0], 0.1), metrics[0].copy()
    missing[2, 3] = nan
    result = permutation_test(gold, np.stack([*metrics, constant, missing]), level=level, resamples=10)
    assert np.isnan(result.values[3:]).all()
    assert np.isnan(result.p_value[3:]).all()
    assert np.isnan(result.p_value[:, 3:]).all()
    assert np.array_equal(result.p_value[:3, :3], permutation_test(gold, metrics, level=level, resamples=10).p_value)
    assert np.isnan(permutation_test(np.full_like(gold, 0.1), metrics, level=level, resamples=10).p_value).all()


def rejections(kind, opinions, trials=400):
    """How often p <= .05 and p <= .2 where two metrics are equally good.

    `opinions`: how much each metric has for or against single systems, whatever the segment.
    """
    rng = np.random.default_rng(11)
    p = []
    for seed in range(trials):
        quality = rng.normal(size=(8, 1))
        gold = (quality + 0.5 * rng.normal(size=(8, 1)))[:, 0]
        metrics = quality + opinions * rng.normal(size=(2, 8, 1)) + 2 * rng.normal(size=(2, 8, 30))
        p.append(permutation_test(gold, metrics, kind=kind, resamples=99, seed=seed).p_value[0, 1])
    return [(np.array(p) <= level).mean() for level in (0.05, 0.2)]


@pytest.mark.parametrize(
    ("kind", "opinions"), [("perm-inputs", 0), ("perm-both", 0), ("perm-systems", 0), ("perm-systems", 0.5)]
)
def test_the_size_is_the_level_where_two_metrics_are_exchangeable(kind, opinions):
    for share, level in zip(rejections(kind, opinions), (0.05, 0.2), strict=True):
        assert share == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / 400))


@pytest.mark.parametrize("kind", ["perm-inputs", "perm-both"])
def test_exchanging_segments_rejects_too_often_where_metrics_have_opinions_of_systems(kind):
    # As the documentation warns: scores are then not exchangeable segment by segment.
    assert rejections(kind, 0.5)[0] > 0.1


def test_a_function_serves_as_statistic():
    gold, metrics = scores()
    own = permutation_test(gold, metrics, statistic=lambda x, y: pearson(x, y), resamples=50)
    assert np.array_equal(own.p_value, permutation_test(gold, metrics, resamples=50).p_value)


def test_what_does_not_fit_is_refused():
    gold, metrics = scores()
    with pytest.raises(UnknownName, match="There is no permutation test called 'perm-bot'. Did you mean perm-both"):
        permutation_test(gold, metrics, kind="perm-bot")
    with pytest.raises(UnknownName, match="There is no level called 'sys'"):
        permutation_test(gold, metrics, level="sys")
    with pytest.raises(UnknownName, match="There is no statistic called 'r'"):
        permutation_test(gold, metrics, statistic="r")
    with pytest.raises(UsageError, match=r"at global level needs scores of segments, .* gold scores of shape \(6,\)"):
        permutation_test(gold[:, 0], metrics, level="global")
    with pytest.raises(UsageError, match=r"needs scores of segments, not metrics of shape \(3, 6\)"):
        permutation_test(gold[:, 0], metrics[..., 0])
    with pytest.raises(UsageError, match="The number of resamples must be"):
        permutation_test(gold, metrics, resamples=0)

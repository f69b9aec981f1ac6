"""Bootstrap intervals of correlations and tau against plain loops over the same draws."""

import numpy as np
import pytest
from scipy import stats

from tercet.errors import DataError, UnknownName, UsageError
from tercet.stats.correlation import kendall, pearson, spearman
from tercet.stats.correlation_bootstrap import (
    resample_correlations,
    resample_grouped_pearson,
    resample_judgements,
    resample_ratio,
    separate,
)
from tercet.stats.intervals import bootstrap_all
from tercet.stats.resampling import draw_weights
from tercet.stats.tau import Tau, tau_columns, tau_ratio

from .coefficients import count_pairs, tau_of

nan = float("nan")
SCIPY = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
}


def scores(metrics=3, systems=9, segments=40, seed=0):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, 1))
    gold = 50 + 10 * quality + 20 * rng.normal(size=(systems, segments))
    noise = np.linspace(1, 4, metrics)[:, np.newaxis, np.newaxis]
    return gold, 0.3 + quality + noise * rng.normal(size=(metrics, systems, segments))


def correlation_intervals(*data, confidence=0.95, **options):
    return resample_correlations(*data, **options).intervals(confidence)


def tau_intervals(columns, **options):
    return resample_ratio(columns, **options).intervals()


def drawn(n, resamples, seed):
    """The items of each resample, one by one."""
    for weights in np.concatenate(list(draw_weights(n, resamples, seed=seed))).astype(int):
        yield [item for item, times in enumerate(weights) for _ in range(times)]


@pytest.mark.parametrize("name", SCIPY)
def test_systems_drawn_equal_a_plain_loop_with_scipy(name):
    gold, metrics = (x.mean(-1) for x in scores())
    result = resample_correlations(name, gold, metrics, resamples=60, seed=3)
    expected = [[SCIPY[name](metric[items], gold[items]) for items in drawn(9, 60, 3)] for metric in metrics]
    assert np.allclose(result.samples, expected, rtol=0, atol=1e-12)
    assert np.allclose(result.values, [SCIPY[name](metric, gold) for metric in metrics], rtol=0, atol=1e-14)
    assert result.n == 9


@pytest.mark.parametrize("name", SCIPY)
@pytest.mark.parametrize("fixed_gold", [True, False])
def test_segments_drawn_equal_a_plain_loop_over_means(name, fixed_gold):
    gold, metrics = scores()
    gold[2, 5:] = nan  # few judgements of this system
    people = np.nanmean(gold, axis=1) if fixed_gold else gold
    result = resample_correlations(name, people, metrics, unit="segments", resamples=40, seed=3)
    for sample, items in enumerate(drawn(40, 40, 3)):
        means = people if fixed_gold else [np.mean([x for x in row[items] if x == x] or [nan]) for row in gold]
        expected = [SCIPY[name](metric[:, items].mean(1), means) for metric in metrics]
        assert np.allclose(result.samples[:, sample], expected, rtol=0, atol=1e-10, equal_nan=True)
    assert np.allclose(result.values, [SCIPY[name](x.mean(1), np.nanmean(gold, 1)) for x in metrics], atol=1e-12)
    assert result.n == 40


def test_drawing_systems_with_scores_of_segments_takes_their_means():
    gold, metrics = scores()
    whole = correlation_intervals("pearson", gold, metrics, resamples=50)
    assert whole == correlation_intervals("pearson", gold.mean(1), metrics.mean(2), resamples=50)


def test_a_function_serves_as_statistic_and_gets_the_same_draws():
    gold, metrics = scores()
    own = resample_correlations(lambda x, y: pearson(x, y), gold, metrics, resamples=80)
    assert np.allclose(own.samples, resample_correlations("pearson", gold, metrics, resamples=80).samples, atol=1e-12)


def test_pearson_on_large_offsets_keeps_its_digits():
    gold, metrics = (x.mean(-1) for x in scores())
    result = resample_correlations("pearson", gold + 1e6, metrics - 1e6, resamples=30)
    expected = resample_correlations("pearson", gold, metrics, resamples=30)
    assert np.allclose(result.samples, expected.samples, rtol=0, atol=1e-8)


def test_the_interval_holds_the_percentiles_and_what_is_needed_to_report_them():
    gold, metrics = scores()
    result = resample_correlations("pearson", gold, metrics, resamples=200, seed=8)
    interval = result.intervals(0.9)[1]
    assert [interval.low, interval.high] == pytest.approx(np.quantile(result.samples[1], [0.05, 0.95]), abs=1e-15)
    assert interval.value == result.values[1] == pearson(metrics[1].mean(1), gold.mean(1))
    assert interval.mean == result.samples[1].mean()
    assert interval.standard_error == result.samples[1].std(ddof=1)
    assert (interval.confidence, interval.method, interval.resamples) == (0.9, "percentile", 200)
    assert (interval.seed, interval.n) == (8, 9)


def test_half_the_width_is_the_mean_distance_to_the_bounds():
    gold, metrics = scores()
    interval = correlation_intervals("pearson", gold, metrics)[2]
    distances = interval.value - interval.low, interval.high - interval.value
    assert abs(distances[0] - distances[1]) > 0.05
    assert interval.half_width == pytest.approx(sum(distances) / 2, abs=1e-15)


def test_the_same_seed_gives_the_same_numbers_whatever_the_other_metrics():
    gold, metrics = scores()
    for name in SCIPY:
        whole = correlation_intervals(name, gold, metrics, resamples=50, seed=1)
        assert whole[1:2] == correlation_intervals(name, gold, metrics[1:2], resamples=50, seed=1)
        assert whole != correlation_intervals(name, gold, metrics, resamples=50, seed=2)


def test_a_metric_that_orders_as_people_do_has_no_spread():
    gold = np.arange(12.0)
    (interval,) = correlation_intervals("pearson", gold, [3 * gold - 7])
    assert interval.low == interval.high == interval.value == pytest.approx(1)
    assert interval.standard_error == 0


@pytest.mark.parametrize("name", SCIPY)
def test_resamples_of_one_system_alone_are_left_out_while_they_are_rare(name):
    rng = np.random.default_rng(4)
    gold, metric = rng.normal(size=(2, 5))
    result = resample_correlations(name, gold, [metric], resamples=4000)
    missing = np.isnan(result.samples).mean()
    assert missing == pytest.approx(1 / 625, abs=0.0025)
    assert missing > 0
    (interval,) = result.intervals()
    assert -1 <= interval.low < interval.value < interval.high <= 1
    (few,) = correlation_intervals(name, gold[:3], [metric[:3]])  # a ninth of the resamples
    assert np.isnan([few.low, few.high, few.mean, few.standard_error]).all()
    assert not np.isnan(few.value)


@pytest.mark.parametrize("turned", [False, True])
def test_a_resample_without_variation_on_one_side_has_no_correlation(turned):
    tied, other = np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.7]), np.array([1.3, 0.2, 0.9, 0.4, 0.8, 0.5])
    gold, metric = (other, tied) if turned else (tied, other)
    (samples,) = resample_correlations("pearson", gold, [metric], resamples=200).samples
    constant = [len(set(tied[items])) == 1 for items in drawn(6, 200, 12345)]
    assert 0 < sum(constant) < 200
    assert np.isnan(samples).tolist() == constant


def test_two_units_have_an_interval():
    (interval,) = resample_ratio([[[1, 1], [3, 1]]]).intervals()
    assert (interval.low, interval.value, interval.high) == (1, 2, 3)


def test_groups_drawn_equal_a_plain_loop_over_their_items():
    gold, metrics = scores(systems=5, segments=4)
    groups = np.repeat(["b", "c", "a", "e", "d"], [7, 1, 4, 6, 2])
    people, columns = gold.ravel(), metrics.reshape(3, -1)
    result = resample_grouped_pearson(people, columns, groups, resamples=40, seed=5)
    for sample, chosen in enumerate(drawn(5, 40, 5)):
        items = np.concatenate([np.flatnonzero(groups == "abcde"[group]) for group in chosen])
        expected = [SCIPY["pearson"](metric[items], people[items]) for metric in columns]
        assert np.allclose(result.samples[:, sample], expected, rtol=0, atol=1e-12)
    assert np.allclose(result.values, [SCIPY["pearson"](metric, people) for metric in columns], atol=1e-14)
    assert result.n == 5
    with pytest.raises(UsageError, match=r"one group for each of the 20 items, not \(19,\)"):
        resample_grouped_pearson(people, columns, groups[1:])


def test_what_is_undefined_has_no_interval_and_does_not_disturb_others():
    gold, metrics = (x.mean(-1) for x in scores())
    bad = np.vstack([metrics, np.full(9, 0.1), np.where(np.arange(9) == 2, nan, metrics[0])])
    for name in SCIPY:
        intervals = correlation_intervals(name, gold, bad, resamples=50)
        assert intervals[:3] == correlation_intervals(name, gold, metrics, resamples=50)
        assert np.isnan([[x.value, x.low, x.high] for x in intervals[3:]]).all()
    (single,) = correlation_intervals("pearson", gold, metrics[:1, :, np.newaxis], unit="segments")
    assert single.value == pytest.approx(pearson(gold, metrics[0]))
    assert np.isnan(single.low)  # one segment drawn is always itself


def signs(metrics=4, pairs=300, seed=0):
    rng = np.random.default_rng(seed)
    human = rng.choice([-1.0, 0.0, 1.0], pairs, p=[0.4, 0.2, 0.4])
    return human, np.where(rng.random((metrics, pairs)) < 0.5, human, rng.choice([-1.0, 0.0, 1.0], (metrics, pairs)))


@pytest.mark.parametrize("variant", ["wmt12", "wmt13", "wmt14", "hties"])
@pytest.mark.parametrize("grouped", [False, True])
def test_tau_intervals_are_those_of_its_nine_counts(variant, grouped):
    human, said = signs()
    groups = {"groups": np.arange(300) // 7} if grouped else {}
    intervals = tau_intervals(tau_columns(human, said, Tau(variant), **groups), resamples=200, seed=9)
    expected = bootstrap_all(
        lambda sums: tau_of(sums, variant), count_pairs(human, said, **groups), resamples=200, seed=9
    )
    assert [x.n for x in intervals] == [43 if grouped else 300] * 4
    for ours, theirs in zip(intervals, expected, strict=True):
        assert (ours.value, ours.low, ours.high) == pytest.approx((theirs.value, theirs.low, theirs.high), abs=1e-14)


def test_tau_on_a_resample_is_that_of_the_pairs_drawn():
    human, said = signs()
    columns = tau_columns(human, said)
    result = resample_ratio(columns, resamples=20, seed=2)
    for sample, items in enumerate(drawn(300, 20, 2)):
        assert np.allclose(result.samples[:, sample], tau_ratio(columns[:, items].sum(1)), atol=1e-15)


def test_the_spread_of_tau_is_about_that_of_a_mean():
    human, said = signs(pairs=4000)
    (interval,) = tau_intervals(tau_columns(human, said[:1], Tau("wmt12")))
    pairs = np.count_nonzero(human)
    assert interval.half_width == pytest.approx(1.96 * np.sqrt((1 - interval.value**2) / pairs), rel=0.1)


def test_a_tau_that_is_undefined_has_no_interval():
    human, said = signs()
    said[1] = 0  # always ties: wmt13 leaves out every pair
    intervals = tau_intervals(tau_columns(human, said, Tau("wmt13")), resamples=20)
    assert np.isnan([intervals[1].value, intervals[1].low]).all()
    assert not np.isnan([intervals[0].value, intervals[0].low]).any()


@pytest.mark.parametrize("name", SCIPY)
@pytest.mark.parametrize("paired", [False, True])
def test_judgements_drawn_equal_a_plain_loop(name, paired):
    rng = np.random.default_rng(1)
    systems = np.concatenate([np.arange(6), rng.integers(0, 6, 194)])
    values = np.round(systems + 3 * rng.normal(size=200), 1)
    metrics = np.arange(6) + rng.normal(size=(2, 6))
    units = np.repeat(np.arange(100), 2) if paired else np.arange(200)
    result = resample_judgements(name, values, systems, metrics, units=units if paired else None, resamples=30, seed=6)
    for sample, items in enumerate(drawn(100 if paired else 200, 30, 6)):
        rows = np.concatenate([np.flatnonzero(units == item) for item in items])
        gold = [values[rows][systems[rows] == system].mean() for system in range(6)]
        assert np.allclose(result.samples[:, sample], [SCIPY[name](metric, gold) for metric in metrics], atol=1e-12)
    gold = [values[systems == system].mean() for system in range(6)]
    assert np.allclose(result.values, [SCIPY[name](metric, gold) for metric in metrics], atol=1e-14)
    assert result.n == (100 if paired else 200)


def test_more_judgements_make_narrower_intervals():
    rng = np.random.default_rng(1)
    metric = np.arange(8.0)[np.newaxis]
    widths = []
    for times in (20, 320):
        systems = np.repeat(np.arange(8), times)
        values = systems + 10 * rng.normal(size=len(systems))
        widths.append(resample_judgements("pearson", values, systems, metric).intervals()[0].half_width)
    assert widths[1] < widths[0] / 2


def test_win_rates_are_means_of_outcomes():
    winners, losers = np.array([0, 0, 1, 2, 0]), np.array([1, 2, 2, 1, 2])
    values, systems = np.repeat([1.0, 0.0], 5), np.concatenate([winners, losers])
    result = resample_judgements("pearson", values, systems, [[3, 2, 1.5]], units=np.tile(np.arange(5), 2))
    assert result.values[0] == pytest.approx(pearson([3, 2, 1.5], [1, 1 / 3, 1 / 4]))
    assert result.n == 5


def test_judgements_of_an_item_are_averaged_first():
    values, systems = [10.0, 20, 90, 30, 50], [0, 0, 0, 1, 2]
    items = ["a", "a", "b", "a", "b"]
    result = resample_judgements("pearson", values, systems, [[3, 2, 1.5]], items=items, resamples=40, seed=3)
    assert result.values[0] == pytest.approx(pearson([3, 2, 1.5], [(15 + 90) / 2, 30, 50]))
    for sample, chosen in zip(result.samples[0], drawn(5, 40, 3), strict=True):
        means = []
        for system in range(3):
            mine = [row for row in chosen if systems[row] == system]
            by_item = [[values[row] for row in mine if items[row] == item] for item in ("a", "b")]
            means.append(np.mean([np.mean(part) for part in by_item if part]) if mine else nan)
        assert sample == pytest.approx(float(pearson([3, 2, 1.5], means)), abs=1e-12, nan_ok=True)


def test_intervals_that_do_not_overlap_are_separate():
    human, said = signs(metrics=3, pairs=3000)
    said[0], said[2] = human, -human
    above = separate(tau_intervals(tau_columns(human, said)))
    assert above.tolist() == [[False, True, True], [False, False, True], [False, False, False]]
    undefined = tau_intervals(np.full((2, 5, 2), nan), resamples=5)
    assert not separate(undefined).any()


@pytest.mark.parametrize("name", ["spearman", "kendall"])
def test_rank_statistics_stay_in_small_batches(name):
    gold, metrics = (x.mean(-1) for x in scores(metrics=20, systems=400, segments=1))
    assert resample_correlations(name, gold, metrics, resamples=45).samples.shape == (20, 45)
    function = {"spearman": spearman, "kendall": kendall}[name]
    last = list(drawn(400, 45, 12345))[-1]
    result = resample_correlations(name, gold, metrics, resamples=45).samples[:, -1]
    assert np.allclose(result, function(metrics[:, last], gold[last]), atol=1e-14)


def test_what_does_not_fit_is_refused():
    gold, metrics = scores()
    with pytest.raises(UnknownName, match="There is no statistic called 'pearsn'. Did you mean pearson"):
        resample_correlations("pearsn", gold, metrics)
    with pytest.raises(UnknownName, match="There is no unit to resample called 'system'"):
        resample_correlations("pearson", gold, metrics, unit="system")
    with pytest.raises(UsageError, match="metrics must have the shape"):
        resample_correlations("pearson", gold[:, 0], metrics[..., 0], unit="segments")
    with pytest.raises(UsageError, match=r"shape \(9, 39\) do not match metrics of shape \(3, 9, 40\)"):
        resample_correlations("pearson", gold[:, 1:], metrics)
    with pytest.raises(DataError, match="There are no scores to correlate"):
        resample_correlations("pearson", np.ones(0), np.ones((2, 0)))
    with pytest.raises(UsageError, match="The confidence must lie between 0 and 1"):
        correlation_intervals("pearson", gold, metrics, confidence=95)
    with pytest.raises(UsageError, match="at least 1, not 0"):
        correlation_intervals("pearson", gold, metrics, resamples=0)
    with pytest.raises(UsageError, match=r"shape \(metrics, units, 2\), not \(1, 4, 9\)"):
        tau_intervals(np.ones((1, 4, 9)))


def test_judgements_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match="System number 1 .from 0. has no judgements"):
        resample_judgements("pearson", [1, 2, 3], [0, 2, 0], np.ones((1, 3)))
    with pytest.raises(UsageError, match="Systems must be numbered from 0 to 2"):
        resample_judgements("pearson", [1, 2], [0, 3], np.ones((1, 3)))
    with pytest.raises(UsageError, match=r"they must be \(judgements,\), \(judgements,\) and \(metrics, systems\)"):
        resample_judgements("pearson", [1, 2], [0], np.ones((1, 3)))
    with pytest.raises(UsageError, match="one unit for each of the 3 judgements"):
        resample_judgements("pearson", [1, 2, 3], [0, 1, 2], np.ones((1, 3)), units=[1, 2])
    with pytest.raises(UsageError, match="one item for each of the 3 judgements"):
        resample_judgements("pearson", [1, 2, 3], [0, 1, 2], np.ones((1, 3)), items=[1, 2])

"""Figures by hand and by scipy, their intervals against plain resampling, and what is undefined."""

import numpy as np
import pytest
from scipy import stats

from tercet.errors import DataError, UsageError
from tercet.quality import evaluating
from tercet.quality.evaluating import compare_pearson, evaluate
from tercet.stats.resampling import draw_weights

nan = float("nan")


def example(n=60, seed=0, groups=None):
    rng = np.random.default_rng(seed)
    labels = rng.integers(1, 6, n).astype(float)
    predictions = np.round(labels + rng.normal(0, 1.5, n), 1)  # some ties
    return labels, predictions


def delta_avg(labels, predictions):
    """DeltaAvg of segments that all count once."""
    truth, values = evaluating.check_pair(labels, predictions)
    return float(evaluating._delta_avg(truth, values)(np.ones((1, len(truth))))[0])


def plain_delta_avg(labels):
    """The definition, word for word, of labels from the best prediction to the worst."""
    n, whole, values = len(labels), np.mean(labels), []
    for parts in range(2, n // 2 + 1):
        size = n // parts
        heads = [np.mean(labels[: k * size]) for k in range(1, parts)]
        values.append(np.mean(heads) - whole)
    return np.mean(values)


def test_figures_equal_those_of_scipy():
    labels, predictions = example()
    found = evaluate(labels, predictions, resamples=20)
    assert found.pearson.value == pytest.approx(stats.pearsonr(labels, predictions).statistic, abs=1e-12)
    assert found.spearman.value == pytest.approx(stats.spearmanr(labels, predictions).statistic, abs=1e-12)
    assert found.rmse.value == pytest.approx(np.sqrt(np.mean((labels - predictions) ** 2)), abs=1e-12)
    assert found.mae.value == pytest.approx(np.mean(np.abs(labels - predictions)), abs=1e-12)
    assert found.delta_avg.value == delta_avg(labels, predictions)
    assert found.coverage is None and "coverage" not in found.figures()
    assert (found.n, found.groups, found.resamples, found.seed, found.level) == (60, 60, 20, 12345, 0.95)


def test_delta_avg_by_hand():
    # Four segments, so halves alone: the mean of the first two minus the mean of all.
    assert delta_avg([1, 5, 3, 2], [0.1, 0.9, 0.8, 0.2]) == pytest.approx(4 - 11 / 4)
    # Six: halves (2 heads of 3), and thirds (heads of 2 and of 4).
    labels = [6, 5, 4, 3, 2, 1]
    assert delta_avg(labels, labels) == pytest.approx(((5 - 3.5) + ((5.5 + 4.5) / 2 - 3.5)) / 2)
    assert delta_avg(labels, [-label for label in labels]) == pytest.approx(-1.5)
    # Seven: the parts have floor(7 / n) segments, the last one takes the rest.
    labels = [7, 6, 5, 4, 3, 2, 1]
    assert delta_avg(labels, labels) == pytest.approx(((6 - 4) + ((6.5 + 5.5) / 2 - 4)) / 2)


@pytest.mark.parametrize("n", [4, 5, 11, 50, 133])
def test_delta_avg_equals_its_definition(n):
    rng = np.random.default_rng(n)
    labels, predictions = rng.normal(size=n), rng.normal(size=n)
    assert delta_avg(labels, predictions) == pytest.approx(plain_delta_avg(labels[np.argsort(-predictions)]), abs=1e-12)


def test_delta_avg_of_equal_predictions_is_the_mean_over_their_orders():
    from itertools import permutations

    labels, predictions = np.array([4.0, 1, 5, 3, 2, 9]), np.array([2, 2, 2, 1, 3, 1])
    runs = [labels[predictions == value] for value in (3, 2, 1)]
    every = [
        plain_delta_avg(np.concatenate([runs[0], middle, last]))
        for middle in permutations(runs[1])
        for last in permutations(runs[2])
    ]
    assert delta_avg(labels, predictions) == pytest.approx(np.mean(every))
    assert delta_avg(labels, np.ones(6)) == pytest.approx(0, abs=1e-15)


def test_labels_for_which_lower_is_better_are_ranked_from_below():
    labels, predictions = example()
    turned = evaluate(-labels, -predictions, higher_is_better=False, resamples=50)
    assert turned.delta_avg == evaluate(labels, predictions, resamples=50).delta_avg


@pytest.mark.parametrize("grouped", [False, True])
def test_intervals_are_percentiles_over_plain_resamples(grouped):
    labels, predictions = example(40)
    numbers = np.repeat(np.arange(16), [1, 2, 3, 4] * 4) if grouped else np.arange(40)
    found = evaluate(labels, predictions, groups=numbers.tolist() if grouped else None, resamples=200, level=0.9)
    samples = {"pearson": [], "spearman": [], "rmse": [], "mae": [], "delta_avg": []}
    for weights in np.concatenate([*draw_weights(numbers.max() + 1, 200, dtype=np.int64)]):
        drawn = np.repeat(np.arange(40), weights[numbers])
        x, y = labels[drawn], predictions[drawn]
        samples["pearson"].append(stats.pearsonr(x, y).statistic)
        samples["spearman"].append(stats.spearmanr(x, y).statistic)
        samples["rmse"].append(np.sqrt(np.mean((x - y) ** 2)))
        samples["mae"].append(np.mean(np.abs(x - y)))
        samples["delta_avg"].append(delta_avg(x, y))
    for name, interval in found.figures().items():
        assert [interval.low, interval.high] == pytest.approx(np.quantile(samples[name], [0.05, 0.95]), abs=1e-9)
        assert interval.n == (16 if grouped else 40)


def test_coverage_of_intervals_has_an_interval_too():
    labels, predictions = example()
    found = evaluate(labels, predictions, intervals=(predictions - 2, predictions + 2))
    inside = np.abs(labels - predictions) <= 2
    assert found.coverage.value == pytest.approx(inside.mean())
    assert found.coverage.low < inside.mean() < found.coverage.high
    assert "coverage" in found.figures()


@pytest.mark.parametrize("which", ["labels", "predictions"])
def test_a_constant_has_errors_and_no_correlation(which):
    labels, predictions = example()
    if which == "labels":
        labels = np.full(60, 3.0)
    else:
        predictions = np.full(60, 3.0)
    found = evaluate(labels, predictions, resamples=50)
    for interval in (found.pearson, found.spearman):
        assert np.isnan([interval.value, interval.low, interval.high]).all()
    assert found.rmse.low < found.rmse.value < found.rmse.high
    assert found.delta_avg.value == pytest.approx(0, abs=1e-12)


def test_one_segment_has_errors_without_intervals():
    found = evaluate([3], [4])
    assert found.rmse.value == found.mae.value == 1
    assert np.isnan([found.rmse.low, found.pearson.value, found.spearman.value, found.delta_avg.value]).all()


def test_the_same_seed_gives_the_same_intervals():
    labels, predictions = example()
    assert evaluate(labels, predictions) == evaluate(labels, predictions)
    assert evaluate(labels, predictions, seed=1).rmse.low != evaluate(labels, predictions).rmse.low


def test_a_better_prediction_wins_the_paired_bootstrap():
    rng = np.random.default_rng(0)
    labels = rng.normal(size=300)
    good, bad = labels + 0.8 * rng.normal(size=300), labels + 3 * rng.normal(size=300)
    found = compare_pearson(labels, good, bad)
    assert found.first == pytest.approx(stats.pearsonr(labels, good).statistic, abs=1e-12)
    assert found.difference == pytest.approx(found.first - stats.pearsonr(labels, bad).statistic, abs=1e-12)
    assert found.wins > 0.998 and found.p_value < 0.01 and found.low > 0
    assert compare_pearson(labels, good, 2 * good + 1).p_value == 1
    assert np.isnan(compare_pearson(labels, good, np.ones(300)).p_value)
    turned = compare_pearson(labels, bad, good)
    assert (turned.wins, turned.losses) == (found.losses, found.wins)


def test_groups_are_drawn_together_in_comparisons():
    labels, first = example(80)
    second = first + np.random.default_rng(2).normal(size=80)
    alone = compare_pearson(labels, first, second)
    doubled = [np.concatenate([part, part]) for part in (labels, first, second)]
    together = compare_pearson(*doubled, groups=[*range(80), *range(80)])
    assert together.n == 80
    assert (together.low, together.high) == pytest.approx((alone.low, alone.high))


def test_what_cannot_be_evaluated_is_said():
    with pytest.raises(DataError, match="prediction of segment 2 is nan: every segment needs a number"):
        evaluate([1, 2], [1, nan])
    with pytest.raises(DataError, match="label of segment 1 is nan"):
        evaluate([nan, 2], [1, 2])
    with pytest.raises(DataError, match="no segments"):
        evaluate([], [])
    with pytest.raises(UsageError, match=r"Labels have shape \(2,\), but predictions have shape \(3,\)"):
        evaluate([1, 2], [1, 2, 3])
    with pytest.raises(UsageError, match="one group for each of the 2 segments, not 1"):
        evaluate([1, 2], [1, 2], groups=["a"])
    with pytest.raises(UsageError, match="number of resamples"):
        evaluate([1, 2], [1, 2], resamples=0)


def test_what_delta_avg_keeps_is_bounded_and_changes_nothing(monkeypatch):
    labels, predictions = example(80)
    groups = np.random.default_rng(1).integers(0, 40, 80).tolist()
    found = evaluate(labels, predictions, groups=groups, resamples=100)
    lengths = []
    whole = evaluating._cumulative_shares
    monkeypatch.setattr(evaluating, "_cumulative_shares", lambda n: lengths.append(n) or whole(n))
    evaluate(labels, predictions, groups=groups, resamples=100)
    kept = len(lengths)
    assert kept == len(set(lengths))
    monkeypatch.setattr(evaluating, "_KEPT", 100)
    assert evaluate(labels, predictions, groups=groups, resamples=100) == found
    assert len(lengths) > 2 * kept  # some were made again

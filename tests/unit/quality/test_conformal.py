"""Quantiles of errors by hand, coverage in simulations, difficulty, parts."""

import json

import numpy as np
import pytest

from tercet.errors import DataError, UsageError
from tercet.learning.examples import check_examples
from tercet.learning.fitting import cross_fit, cross_predict
from tercet.learning.learners import create
from tercet.learning.linear import Ridge
from tercet.quality.conformal import Conformal, calibrate, is_covered
from tests.unit.learning.examples import labelled, planted


def test_the_quantile_counts_one_more_example_than_there_are():
    errors = np.arange(1.0, 20)  # 1 to 19
    conformal = calibrate(errors[::-1], np.zeros(19))
    assert conformal.half_width(0.9) == 18  # ceil(20 * 0.9)
    assert conformal.half_width(0.901) == 19
    assert conformal.half_width(0.95) == 19
    assert conformal.half_width(0.951) == float("inf")
    assert conformal.half_width(0.05) == 1
    assert conformal.half_width(0.5) == 10


@pytest.mark.parametrize("n", [9, 10, 99, 999, 1832])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_the_quantile_is_that_of_the_textbook(n, level):
    from fractions import Fraction
    from math import ceil

    errors = np.sort(np.random.default_rng(n).exponential(size=n))
    place = ceil((n + 1) * Fraction(str(level)))
    assert calibrate(errors, np.zeros(n)).half_width(level) == (errors[place - 1] if place <= n else float("inf"))


def test_groups_weigh_the_same_whatever_their_size():
    # Three groups: one of four examples, two of one. Each has a quarter, the last quarter is infinite.
    labels, groups = [1, 2, 3, 4, 10, 20], ["a", "a", "a", "a", "b", "c"]
    conformal = calibrate(labels, np.zeros(6), groups)
    assert conformal.half_width(2 / 16) == 2
    assert conformal.half_width(0.25) == 4
    assert conformal.half_width(0.26) == 10
    assert conformal.half_width(0.75) == 20
    assert conformal.half_width(0.76) == float("inf")


def test_intervals_lie_around_predictions():
    low, high = calibrate(np.arange(1.0, 20), np.zeros(19)).interval([5, 6], 0.9)
    assert low.tolist() == [-13, -12] and high.tolist() == [23, 24]
    assert is_covered([5, 24.5, 6], [0, 0, 6], [10, 24, 6]).mean() == pytest.approx(2 / 3)


def simulated_coverage(repetitions, level, draw):
    """Over many data sets: the mean share of new labels within intervals."""
    rng = np.random.default_rng(12345)
    return np.mean([draw(rng, level) for _ in range(repetitions)])


@pytest.mark.parametrize("level", [0.8, 0.9])
def test_split_conformal_covers_as_often_as_it_says(level):
    def draw(rng, level):
        x = rng.normal(size=(340, 3))
        y = x[:, 0] + rng.standard_t(3, size=340) * (1 + np.abs(x[:, 1]))  # heavy tails, unequal spread
        model = Ridge().fit_with(labelled(x[:100], y[:100], 0), {"alpha": 0.01})
        conformal = calibrate(y[100:140], model.predict(x[100:140]))
        return is_covered(y[140:], *conformal.interval(model.predict(x[140:]), level)).mean()

    assert abs(simulated_coverage(200, level, draw) - level) < 0.015


def test_cross_conformal_intervals_of_grouped_data_cover_as_often_as_they_say():
    def draw(rng, level):
        # Sentences of one to six translations that share most of what cannot be predicted.
        sizes = rng.integers(1, 7, size=120)
        groups = np.repeat(np.arange(120), sizes)
        x = rng.normal(size=(len(groups), 4)) + rng.normal(size=(120, 4))[groups]
        y = x[:, 0] + (rng.normal(size=120) * sizes)[groups] + 0.3 * rng.normal(size=len(groups))
        seen = groups < 60
        data, settings = check_examples(x[seen], y[seen], groups[seen].tolist()), {"alpha": 0.05}
        predictor = Ridge().fit_with(labelled(data.features, data.labels, 0), settings)
        conformal = calibrate(y[seen], cross_predict(Ridge(), settings, data), groups[seen].tolist())
        new = ~seen
        low, high = conformal.interval(predictor.predict(x[new]), level)
        inside = (low <= y[new]) & (y[new] <= high)
        counts = np.bincount(groups[new] - 60)
        return np.mean(np.bincount(groups[new] - 60, inside) / counts)  # groups weigh the same

    assert 0.87 < simulated_coverage(100, 0.9, draw) < 0.93


def test_difficulty_narrows_intervals_where_predictions_are_certain():
    rng = np.random.default_rng(3)
    x = rng.uniform(0, 1, size=(1500, 3))
    y = 2 * x[:, 0] + (0.1 + 2 * x[:, 1]) * rng.normal(size=1500)
    fitted = cross_fit(create("ridge"), check_examples(x[:500], y[:500]))
    values = fitted.predictor.predict(x[500:])
    plain = calibrate(y[:500], fitted.held_out)
    scaled = calibrate(y[:500], fitted.held_out, features=x[:500])
    low, high = scaled.interval(values, 0.9, x[500:])
    easy, hard = x[500:, 1] < 0.2, x[500:, 1] > 0.8
    for part in (easy, hard):
        assert 0.84 < is_covered(y[500:][part], low[part], high[part]).mean() < 0.97
    assert is_covered(y[500:][easy], *plain.interval(values[easy], 0.9)).mean() > 0.98
    assert (high - low)[easy].mean() < 0.6 * 2 * plain.half_width(0.9)
    assert plain.usual_half_width(0.9) == plain.half_width(0.9)
    assert np.median(high - low) / 2 == pytest.approx(scaled.usual_half_width(0.9), rel=0.1)
    with pytest.raises(UsageError, match="depend on the features: give them, too"):
        scaled.interval(values, 0.9)


def test_difficulty_is_that_which_others_than_the_group_itself_say():
    # Pairs of the same features and errors, more features than pairs: who has seen the pair expects its error.
    rng = np.random.default_rng(6)
    features, labels = np.repeat(rng.normal(size=(40, 50)), 2, axis=0), np.repeat(rng.exponential(size=40), 2)
    groups = np.repeat(np.arange(40), 2).tolist()
    found = calibrate(labels, np.zeros(80), groups, features=features)
    honest = cross_fit(Ridge(), check_examples(features, labels, groups))
    expected = labels / np.maximum(honest.held_out, 0.25 * labels.mean())
    assert found.errors == pytest.approx(np.sort(expected), abs=1e-12)
    by_heart = labels / np.maximum(honest.predictor.predict(features), 0.25 * labels.mean())
    assert found.half_width(0.9) > 1.02 * calibrate(by_heart, np.zeros(80), groups).half_width(0.9)


@pytest.mark.parametrize("scaled", [False, True])
def test_parts_come_back_the_same_to_the_last_bit(scaled):
    features, labels, groups = planted()
    held_out = cross_fit(create("ridge"), check_examples(features, labels, groups)).held_out
    conformal = calibrate(labels, held_out, groups, features=features if scaled else None)
    plain, arrays = conformal.to_parts()
    again = Conformal.from_parts(json.loads(json.dumps(plain)), arrays)
    for level in (0.5, 0.9):
        before = conformal.interval(held_out, level, features)
        assert np.array_equal(before, again.interval(held_out, level, features))


def test_parts_that_contradict_each_other_are_refused():
    plain, arrays = calibrate(np.arange(1.0, 20), np.zeros(19)).to_parts()
    for changed, message in [
        (({**plain, "more": 1}, arrays), "it has difficulty, easiest, errors, groups, more, usual, weights"),
        (({**plain, "groups": 7}, arrays), "weights do not add up to 7 groups"),
        (({**plain, "easiest": -1.0}, arrays), "easiest is -1.0"),
        (({**plain, "usual": "1"}, arrays), "usual is '1'"),
        (({**plain, "difficulty": {}}, arrays), "the difficulty is incomplete"),
        ((plain, {**arrays, "errors": arrays["errors"][::-1]}), "errors are not in order"),
        ((plain, {**arrays, "errors": arrays["errors"][:3]}), "weights is not an array of 3 float64 numbers"),
        ((plain, {**arrays, "errors": -arrays["errors"]}), "errors has negative or missing numbers"),
    ]:
        with pytest.raises(DataError, match=message):
            Conformal.from_parts(*changed)


def test_what_cannot_be_calibrated_is_said():
    with pytest.raises(UsageError, match=r"shape \(3,\) do not go with held-out predictions of shape \(2,\)"):
        calibrate([1, 2, 3], [1, 2])
    with pytest.raises(DataError, match="A label or a held-out prediction is missing"):
        calibrate([1, 2, 3], [1, 2, np.nan])
    with pytest.raises(UsageError, match="one group for each of the 3 examples, not 1"):
        calibrate([1, 2, 3], [1, 2, 3], ["a"])
    with pytest.raises(UsageError, match="level of intervals must lie between 0 and 1, not 90"):
        calibrate([1, 2, 3], [1, 2, 3]).half_width(90)
    with pytest.raises(UsageError, match="2 labels do not go with 1 lower and 2 upper bounds"):
        is_covered([1, 2], [1], [1, 2])

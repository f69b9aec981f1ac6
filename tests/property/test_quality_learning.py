"""What holds for splits, predictors, intervals and figures whatever the numbers."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.learning.examples import check_examples, folds, hold_out
from tercet.learning.learners import Ridge, create
from tercet.learning.pls import PLS, decompose
from tercet.learning.predictors import predictor_from_parts
from tercet.quality.conformal import calibrate
from tercet.quality.evaluating import evaluate
from tests.unit.learning.examples import labelled
from tests.unit.quality.test_evaluating import delta_avg

numbers = st.floats(-100, 100, allow_nan=False).map(lambda x: round(x, 2))
groupings = st.lists(st.integers(0, 9), min_size=2, max_size=60).filter(lambda groups: len(set(groups)) > 1)
pairs = st.lists(st.tuples(numbers, numbers), min_size=4, max_size=30)


@given(groupings, st.integers(2, 12), st.integers(0, 5))
def test_folds_divide_examples_and_never_groups(groups, n, seed):
    splits = folds(groups, n, seed)
    assert len(splits) == min(n, len(set(groups)))
    tested = np.concatenate([test for _, test in splits])
    assert sorted(tested.tolist()) == list(range(len(groups)))
    largest = max(map(groups.count, groups))
    sizes = [len(test) for _, test in splits]
    assert max(sizes) - min(sizes) <= largest
    for train, test in splits:
        assert len(train) + len(test) == len(groups)
        assert len(test)
        assert not {groups[i] for i in train} & {groups[i] for i in test}


@given(groupings, st.floats(0.05, 0.95), st.integers(0, 5))
def test_a_hold_out_leaves_groups_on_both_sides(groups, share, seed):
    train, test = hold_out(groups, share, seed)
    assert len(train) and len(test)
    assert sorted([*train, *test]) == list(range(len(groups)))
    assert not {groups[i] for i in train} & {groups[i] for i in test}
    assert set(hold_out(groups, share / 2, seed)[1]) <= set(test)


def table(seed, n=30, k=4):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, k)) * rng.uniform(0.01, 100, k) + rng.uniform(-50, 50, k)
    return features, features[:, 0] / features[:, 0].std() + rng.normal(size=n)


@given(st.integers(0, 10**6))
@settings(max_examples=25)
def test_linear_learners_do_not_depend_on_the_units_of_features(seed):
    features, labels = table(seed)
    rng = np.random.default_rng(seed)
    scale, shift = rng.uniform(0.1, 10, 4), rng.uniform(-10, 10, 4)
    for learner, chosen in ((Ridge(), {"alpha": 0.1}), (PLS(), {"features": 4, "components": 2})):
        before = learner.fit_with(labelled(features, labels, 0), chosen).predict(features)
        moved = features * scale + shift
        after = learner.fit_with(labelled(moved, labels, 0), chosen).predict(moved)
        assert after == pytest.approx(before, abs=1e-6)


@given(st.integers(0, 10**6), st.sampled_from(["mean", "ridge", "pls"]))
@settings(max_examples=25)
def test_a_predictor_survives_its_parts(seed, name):
    features, labels = table(seed)
    predictor = create(name).fit(check_examples(features, labels))
    plain, arrays = predictor.to_parts()
    again = predictor_from_parts(json.loads(json.dumps(plain)), arrays)
    assert np.array_equal(again.predict(features), predictor.predict(features))


@given(st.integers(0, 10**6), st.integers(1, 4))
@settings(max_examples=50)
def test_scores_of_pls_components_do_not_correlate(seed, components):
    features, labels = table(seed)
    units = (features - features.mean(0)) / features.std(0)
    found = decompose(units, labels - labels.mean(), components)
    assert (found.weights @ found.weights.T) == pytest.approx(np.eye(len(found.weights)), abs=1e-8)
    errors = [((labels - labels.mean() - units @ path) ** 2).sum() for path in found.coefficients]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(errors))


@given(st.lists(st.tuples(numbers, numbers, st.integers(0, 6)), min_size=1, max_size=40))
def test_half_widths_grow_with_the_level_and_are_errors(rows):
    labels, held_out, groups = (list(part) for part in zip(*rows, strict=True))
    conformal = calibrate(labels, held_out, groups)
    widths = [conformal.half_width(level) for level in (0.1, 0.5, 0.8, 0.9, 0.99)]
    assert widths == sorted(widths)
    errors = {abs(label - value) for label, value in zip(labels, held_out, strict=True)} | {float("inf")}
    assert set(widths) <= errors
    # At least the level of the groups' weight lies within, the new group apart.
    inside = np.abs(np.subtract(labels, held_out)) <= widths[1]
    weight = sum(inside[i] / groups.count(group) for i, group in enumerate(groups))
    assert weight / (len(set(groups)) + 1) >= 0.5 - 1e-9 or widths[1] == float("inf")


@given(pairs, st.randoms(use_true_random=False))
def test_figures_do_not_depend_on_the_order_of_segments(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    before, after = (evaluate(*zip(*part, strict=True), resamples=5) for part in (rows, shuffled))
    for name, interval in before.figures().items():
        assert after.figures()[name].value == pytest.approx(interval.value, abs=1e-9, nan_ok=True)


@given(pairs)
def test_delta_avg_is_bounded_by_the_true_ranking_and_moves_with_the_labels(rows):
    labels, predictions = map(np.array, zip(*rows, strict=True))
    found, best = delta_avg(labels, predictions), delta_avg(labels, labels)
    assert best >= -1e-9 and abs(found) <= np.ptp(labels) + 1e-9
    assert found <= best + 1e-9
    assert delta_avg(3 * labels + 7, predictions) == pytest.approx(3 * found, abs=1e-6)


@given(pairs)
def test_the_root_mean_squared_error_is_at_least_the_mean_absolute_one(rows):
    labels, predictions = zip(*rows, strict=True)
    found = evaluate(labels, predictions, resamples=20)
    assert found.rmse.value >= found.mae.value - 1e-9
    assert found.rmse.low <= found.rmse.high or np.isnan(found.rmse.low)

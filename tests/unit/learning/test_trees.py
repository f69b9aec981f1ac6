"""Gradient boosting: exported trees against scikit-learn's own prediction."""

from itertools import product

import numpy as np
import pytest

from tercet.learning import trees
from tercet.learning.examples import check_examples, folds, standard_units
from tercet.learning.trees import GradientBoosting, boosted

from .examples import labelled, planted

FEATURES, LABELS, GROUPS = planted(n=160)


@pytest.mark.parametrize("depth", [1, 3, 6])
def test_predictions_equal_those_of_scikit_learn(depth):
    settings = {"depth": depth, "rate": 0.1, "trees": 60}
    model = GradientBoosting().fit_with(labelled(FEATURES, LABELS, 7), settings)
    inputs, units = standard_units(FEATURES)
    peer = boosted(units, LABELS, settings, 7)
    new = np.concatenate([FEATURES, planted(n=1100, seed=8)[0]])
    assert model.predict(new) == pytest.approx(peer.predict(inputs.apply(new)), abs=1e-9)


def test_values_at_a_threshold_go_where_scikit_learn_sends_them():
    rng = np.random.default_rng(0)
    features = rng.integers(0, 4, (200, 3)) / 3  # few values, many ties
    labels = features.sum(1) + 0.1 * rng.normal(size=200)
    model = GradientBoosting().fit_with(labelled(features, labels, 0), {"depth": 3, "rate": 0.1, "trees": 50})
    _, units = standard_units(features)
    peer = boosted(units, labels, {"depth": 3, "rate": 0.1, "trees": 50}, 0)
    exact = model.threshold[model.left != np.arange(len(model.left))]
    assert len(exact) > 50
    at = np.tile(np.unique(exact)[:, np.newaxis], (1, 3))
    for new in (np.nextafter(at, -9), at, np.nextafter(at, 9)):  # in standard units, as thresholds are
        assert model._predict(new) == pytest.approx(peer.predict(new), abs=1e-9)
    assert (model._predict(at) != model._predict(at + 1e-6)).any()


def test_the_settings_are_those_of_the_least_error_in_cross_validation(monkeypatch):
    monkeypatch.setattr(trees, "MOST_TREES", 50)
    errors = {}
    for depth, count in product(trees.DEPTHS, (25, 50)):
        tried = {"depth": depth, "rate": 0.05, "trees": count}
        squares = []
        for train, test in folds(GROUPS, 5, 12345):
            model = GradientBoosting().fit_with(labelled(FEATURES[train], LABELS[train], 12345), tried)
            squares += ((model.predict(FEATURES[test]) - LABELS[test]) ** 2).tolist()
        errors[depth, count] = np.sqrt(np.mean(squares))
    settings = GradientBoosting().fit(check_examples(FEATURES, LABELS, GROUPS)).training["settings"]
    assert (settings["depth"], settings["trees"]) == min(errors, key=errors.__getitem__)
    assert settings["rmse"] == pytest.approx(min(errors.values()), abs=1e-9)

"""Gradient boosting: exported trees against scikit-learn's own prediction."""

import numpy as np
import pytest

from tercet.quality import trees
from tercet.quality.selection import standard_units
from tercet.quality.trees import GradientBoosting, boosted

from .examples import planted

FEATURES, LABELS, GROUPS = planted(n=160)


@pytest.mark.parametrize("depth", [1, 3, 6])
def test_predictions_equal_those_of_scikit_learn(depth):
    settings = {"depth": depth, "rate": 0.1, "trees": 60}
    model = GradientBoosting().fit_with(FEATURES, LABELS, settings, seed=7)
    inputs, units = standard_units(FEATURES)
    peer = boosted(units, LABELS, settings, 7)
    new = np.concatenate([FEATURES, planted(n=1100, seed=8)[0]])
    assert model.predict(new) == pytest.approx(peer.predict(inputs.apply(new)), abs=1e-9)


def test_values_at_a_threshold_go_where_scikit_learn_sends_them():
    rng = np.random.default_rng(0)
    features = rng.integers(0, 4, (200, 3)) / 3  # few values, many ties
    labels = features.sum(1) + 0.1 * rng.normal(size=200)
    model = GradientBoosting().fit_with(features, labels, {"depth": 3, "rate": 0.1, "trees": 50}, seed=0)
    inputs, units = standard_units(features)
    peer = boosted(units, labels, {"depth": 3, "rate": 0.1, "trees": 50}, 0)
    exact = model.threshold[model.left != np.arange(len(model.left))]
    assert len(exact) > 50
    at = np.tile(np.unique(exact)[:, np.newaxis], (1, 3))
    new = np.nextafter(at, [[-9.0], [0], [9]][0]) * inputs.scales + inputs.means
    assert model.predict(new) == pytest.approx(peer.predict(inputs.apply(new)), abs=1e-9)


def test_the_settings_are_those_of_the_least_error_in_cross_validation(monkeypatch):
    monkeypatch.setattr(trees, "MOST_TREES", 100)
    settings = GradientBoosting().fit(FEATURES, LABELS, GROUPS).training["settings"]
    assert settings["depth"] in trees.DEPTHS and settings["rate"] in trees.RATES
    assert settings["trees"] in range(trees.STEP, 101, trees.STEP)
    assert 0.4 < settings["rmse"] < LABELS.std()

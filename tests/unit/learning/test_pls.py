"""Partial least squares against scikit-learn's, and what the selection of features leaves."""

import numpy as np
import pytest
from sklearn.cross_decomposition import PLSRegression

from tercet.learning.examples import check_examples, folds, standard_units
from tercet.learning.fitting import predict_held_out
from tercet.learning.pls import FOLDS, PLS, decompose, feature_order, importance_in_projection, set_sizes

from .examples import labelled, planted


@pytest.mark.parametrize("components", [1, 2, 5, 10])
@pytest.mark.parametrize("seed", [0, 1])
def test_coefficients_equal_those_of_scikit_learn(components, seed):
    features, labels, _ = planted(seed=seed)
    _, units = standard_units(features)
    found = decompose(units, labels - labels.mean(), 15)
    peer = PLSRegression(components, scale=False).fit(units, labels)
    assert found.coefficients[components - 1] == pytest.approx(peer.coef_.ravel(), abs=1e-9)
    assert np.abs(found.weights[:components]) == pytest.approx(np.abs(peer.x_weights_.T), abs=1e-9)


def test_predictions_equal_those_of_scikit_learn():
    features, labels, _ = planted()
    model = PLS().fit_with(labelled(features, labels, 0), {"features": 15, "components": 3})
    new = np.clip(planted(seed=9)[0], features.min(0), features.max(0))
    peer = PLSRegression(3, scale=True).fit(features, labels)
    assert model.predict(new) == pytest.approx(peer.predict(new).ravel(), abs=1e-9)


def test_as_many_components_as_features_are_least_squares():
    features, labels, _ = planted(irrelevant=2)
    _, units = standard_units(features)
    found = decompose(units, labels - labels.mean(), 5)
    assert found.coefficients[-1] == pytest.approx(np.linalg.lstsq(units, labels, rcond=None)[0], abs=1e-9)
    residual = labels - labels.mean() - units @ found.coefficients[-1]
    assert found.explained.sum() == pytest.approx(((labels - labels.mean()) ** 2).sum() - (residual**2).sum())


def test_components_end_where_nothing_is_left():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(50, 2))
    units = np.column_stack([base, base @ rng.normal(size=(2, 4))])  # six features, rank two
    units -= units.mean(0)
    found = decompose(units, base[:, 0] - base[:, 0].mean(), 6)
    assert len(found.weights) == 2
    assert units @ found.coefficients[-1] == pytest.approx(base[:, 0] - base[:, 0].mean())
    assert decompose(units, np.zeros(50), 3).coefficients.shape == (0, 6)
    assert importance_in_projection(decompose(units, np.zeros(50), 3)).tolist() == [0] * 6


def test_the_squares_of_vip_average_to_one():
    features, labels, _ = planted()
    _, units = standard_units(features)
    vip = importance_in_projection(decompose(units, labels - labels.mean(), 4))
    assert np.mean(vip**2) == pytest.approx(1)
    assert set(np.argsort(-vip)[:3]) == {0, 1, 2}
    assert feature_order(units, labels - labels.mean())[0] == 0


@pytest.mark.parametrize("seed", range(5))
def test_irrelevant_features_go(seed):
    features, labels, groups = planted(n=400, irrelevant=40, seed=seed)
    model = PLS().fit(check_examples(features, labels, groups))
    assert {0, 1, 2} <= set(model.inputs.columns)
    assert len(model.inputs.columns) <= 6  # of 43
    data = check_examples(features, labels, groups)
    whole = predict_held_out(PLS(), {"features": 43, "components": 3}, data, splits := folds(groups, FOLDS, 12345))
    errors = [np.mean((found - labels[test]) ** 2) for found, (_, test) in zip(whole, splits, strict=True)]
    assert model.training["settings"]["rmse"] <= np.sqrt(np.mean(errors))


def test_the_error_of_the_settings_is_that_of_cross_validation():
    features, labels, groups = planted()
    settings = PLS().fit(check_examples(features, labels, groups)).training["settings"]
    errors = []
    for train, test in folds(groups, FOLDS, 12345):
        held_out = PLS().fit_with(labelled(features[train], labels[train], 1), settings).predict(features[test])
        errors.append(np.mean((held_out - labels[test]) ** 2))
    assert settings["rmse"] == pytest.approx(np.sqrt(np.mean(errors)), abs=1e-9)


def test_set_sizes_reach_all_features_in_growing_steps():
    assert set_sizes(3) == [1, 2, 3]
    sizes = set_sizes(1100)
    assert sizes[:101] == [*range(1, 101), 110]
    assert sizes[-1] == 1100 and len(sizes) < 130


def test_what_is_selected_by_chance_is_not_taken_for_good():
    # Of 300 features without any use some go with the labels; an order that has seen the labels held out finds them.
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(60, 300)), rng.normal(size=60)
    assert PLS().fit(check_examples(features, labels)).training["settings"]["rmse"] > 0.95 * labels.std()

"""Support vector regression: our prediction against scikit-learn's, and the search of the grid."""

import numpy as np
import pytest
from sklearn.svm import SVR as Peer

from tercet.learning import svr
from tercet.learning.examples import check_examples, folds, standard_units
from tercet.learning.svr import SVR

from .examples import labelled, planted

FEATURES, LABELS, GROUPS = planted(n=160)


@pytest.mark.parametrize("settings", [(1.0, 0.25, 0.1), (16.0, 1.0, 0.4), (0.5, 0.0625, 0.2)])
def test_predictions_equal_those_of_scikit_learn(settings):
    cost, gamma, epsilon = settings
    model = SVR().fit_with(labelled(FEATURES, LABELS, 0), {"C": cost, "gamma": gamma, "epsilon": epsilon})
    inputs, units = standard_units(FEATURES)
    peer = Peer(C=cost, gamma=gamma / units.shape[1], epsilon=epsilon)
    peer.fit(units, (LABELS - LABELS.mean()) / LABELS.std())
    new = np.concatenate([planted(seed=8)[0], 100 * FEATURES])  # near and far
    expected = peer.predict(inputs.apply(new)) * LABELS.std() + LABELS.mean()
    assert model.predict(new) == pytest.approx(expected, abs=1e-9)


def test_the_settings_are_the_best_of_the_grid(monkeypatch):
    monkeypatch.setattr(svr, "COSTS", (0.01, 2.0))
    monkeypatch.setattr(svr, "GAMMAS", (0.25, 30.0))
    monkeypatch.setattr(svr, "EPSILONS", (0.1, 3.0))
    settings = SVR().fit(check_examples(FEATURES, LABELS, GROUPS)).training["settings"]
    assert (settings["C"], settings["gamma"], settings["epsilon"]) == (2.0, 0.25, 0.1)
    errors = []
    for train, test in folds(GROUPS, 5, 12345):
        model = SVR().fit_with(labelled(FEATURES[train], LABELS[train], 0), settings)
        errors += ((model.predict(FEATURES[test]) - LABELS[test]) ** 2).tolist()
    assert settings["rmse"] == pytest.approx(np.sqrt(np.mean(errors)), abs=1e-4)  # LIBSVM stops at 1e-3


def test_the_grid_is_searched_on_whole_groups_of_a_part_and_the_model_is_trained_on_all(monkeypatch):
    seen = []
    original = svr._squared_errors

    def watched(data, *rest):
        seen.append(len(data.labels))
        return original(data, *rest)

    monkeypatch.setattr(svr, "SEARCHED", 60)
    monkeypatch.setattr(svr, "_squared_errors", watched)
    model = SVR().fit(check_examples(FEATURES, LABELS, GROUPS))
    assert set(seen) == {48}
    assert model.training["examples"] == 160
    assert len(model.weights) > 60

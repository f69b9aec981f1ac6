"""The WMT12 quality estimation data with its 17 baseline features: figures known from other programs.

Recorded with scikit-learn by those who prepared the data (their README): SVR (RBF kernel, grid searched in 5 folds) MAE
.670, RMSE .810, Spearman .574; PLS with 8 components MAE .714, RMSE .855. Ours choose their settings from
their grids by cross-validation on the training part alone.
"""

import csv
import gzip
import io

import numpy as np
import pytest
from sklearn.cross_decomposition import PLSRegression

from tercet.learning.examples import check_examples, hold_out
from tercet.learning.fitting import cross_fit
from tercet.learning.learners import create
from tercet.learning.pls import PLS
from tercet.quality.conformal import calibrate, is_covered
from tercet.quality.evaluating import compare_pearson, evaluate
from tests.unit.learning.examples import labelled

FEATURES = [f"f{number}" for number in range(1, 18)]


def read(path):
    text = io.StringIO(gzip.decompress(path.read_bytes()).decode("utf-8"), newline="\n")
    rows = list(csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE))
    features = np.array([[float(row[name]) for name in FEATURES] for row in rows])
    return features, np.array([float(row["effort"]) for row in rows]), [row["source"] for row in rows]


@pytest.fixture(scope="module")
def data(shared):
    training, test = (read(shared / "data" / "wmt12_qe" / f"{part}.tsv.gz") for part in ("training", "test"))
    assert (len(training[1]), len(test[1])) == (1832, 422)
    return training, test


@pytest.fixture(scope="module")
def fitted(data):
    return {
        name: cross_fit(create(name, FEATURES), check_examples(*data[0]))
        for name in ("svr", "pls", "linear:f1", "linear:f5")
    }


@pytest.mark.parametrize(("name", "mae", "rmse"), [("svr", 0.670, 0.810), ("pls", 0.714, 0.855)])
def test_errors_are_those_of_other_programs(name, mae, rmse, data, fitted):
    features, labels, _ = data[1]
    found = evaluate(labels, fitted[name].predictor.predict(features), resamples=10)
    assert found.mae.value == pytest.approx(mae, abs=0.01)
    assert found.rmse.value == pytest.approx(rmse, abs=0.01)
    assert name != "svr" or found.spearman.value == pytest.approx(0.574, abs=0.01)


def test_partial_least_squares_of_all_features_is_scikit_learns(data):
    (features, labels, _), (unseen, truth, _) = data
    unseen = np.clip(unseen, features.min(0), features.max(0))  # ours never goes beyond what was seen: one sentence
    model = PLS().fit_with(labelled(features, labels, 0), {"features": 17, "components": 8})
    predictions = model.predict(unseen)
    peer = PLSRegression(8).fit(features, labels).predict(unseen).ravel()
    assert predictions == pytest.approx(peer, abs=1e-9)
    assert np.abs(predictions - truth).mean().round(3) == 0.714
    assert np.sqrt(((predictions - truth) ** 2).mean()).round(3) == 0.855


def test_models_beat_lines_through_length_and_language_model(data, fitted):
    features, labels, _ = data[1]
    values = {name: both.predictor.predict(features) for name, both in fitted.items()}
    for name in ("svr", "pls"):
        for line in ("linear:f1", "linear:f5"):
            assert compare_pearson(labels, values[name], values[line]).low > 0


@pytest.mark.parametrize("name", ["svr", "pls"])
def test_intervals_cover_held_out_labels_as_often_as_they_say(name, data, fitted):
    labels, held_out = data[0][1], fitted[name].held_out
    rng = np.random.default_rng(12345)
    shares = []
    for _ in range(50):
        one, other = np.split(rng.permutation(len(labels)), 2)
        intervals = calibrate(labels[one], held_out[one]).interval(held_out[other], 0.9)
        shares.append(is_covered(labels[other], *intervals).mean())
    assert 0.89 < np.mean(shares) < 0.91
    assert (np.abs(np.quantile(shares, [0.05, 0.95]) - 0.9) < 0.03).all()


def test_cross_conformal_intervals_cover_groups_that_were_set_aside(data):
    features, labels, groups = data[0]
    shares = []
    for seed in range(20):
        train, test = hold_out(groups, 0.2, seed)
        fitted = cross_fit(PLS(), check_examples(features[train], labels[train], [groups[row] for row in train]))
        intervals = calibrate(labels[train], fitted.held_out)
        bounds = intervals.interval(fitted.predictor.predict(features[test]), 0.9)
        shares.append(is_covered(labels[test], *bounds).mean())
    assert 0.89 < np.mean(shares) < 0.91


def test_intervals_that_know_difficulty_hold_on_the_harder_test_part(data, fitted):
    # The test labels spread more (.99) than those of training (.88): the parts are not exchangeable, and intervals of
    # one width cover 86 % instead of 90 %.
    (features, labels, groups), (unseen, truth, _) = data
    values = fitted["svr"].predictor.predict(unseen)
    plain = calibrate(labels, fitted["svr"].held_out, groups)
    scaled = calibrate(labels, fitted["svr"].held_out, groups, features=features)
    assert is_covered(truth, *plain.interval(values, 0.9)).mean() == pytest.approx(0.860, abs=0.01)
    assert 0.87 < is_covered(truth, *scaled.interval(values, 0.9, unseen)).mean() < 0.93

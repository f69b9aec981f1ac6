"""All learners: what is learned, repeated, refused; predictors and their parts."""

import json
import logging
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from tercet.engine import open_executor
from tercet.errors import DataError, MissingDependency, UnknownName, UsageError
from tercet.learning import trees
from tercet.learning.examples import check_examples, folds, standard_units
from tercet.learning.fitting import cross_fit, cross_predict
from tercet.learning.learners import (
    LEARNERS,
    Best,
    Mean,
    OneFeature,
    Ridge,
    create,
    learnt_by,
)
from tercet.learning.pls import PLS
from tercet.learning.predictors import predictor_from_parts
from tercet.stats.correlation import pearson

from .examples import labelled, planted

FEATURES, LABELS, GROUPS = planted()


@pytest.fixture(scope="module", autouse=True)
def few_trees():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trees, "MOST_TREES", 100)
        yield


NAMES = ["mean", "ridge", "pls", "svr", "gbm", "best"]


@pytest.fixture(scope="module")
def fitted():
    return {name: create(name).fit(check_examples(FEATURES, LABELS, GROUPS)) for name in NAMES}


def test_the_names_are_those_of_the_design():
    assert list(LEARNERS) == [*NAMES, "logistic", "lambdamart"]
    assert all(create(name).name == name for name in NAMES)


@pytest.mark.parametrize("name", NAMES[1:])
def test_learners_find_what_was_planted(name, fitted):
    assert pearson(fitted[name].predict(FEATURES), LABELS) > 0.8
    settings = fitted[name].training["settings"]
    assert pearson(cross_predict(create(name), settings, check_examples(FEATURES, LABELS, GROUPS)), LABELS) > 0.8


def test_ridge_equals_scikit_learn(fitted):
    from sklearn.linear_model import Ridge as Peer

    inputs, units = standard_units(FEATURES)
    alpha = fitted["ridge"].training["settings"]["alpha"]
    peer = Peer(alpha=alpha * len(units), solver="cholesky").fit(units, LABELS)
    new = planted(seed=5)[0]
    assert fitted["ridge"].predict(new) == pytest.approx(peer.predict(inputs.apply(new)), abs=1e-9)


def test_the_mean_and_one_feature_by_hand():
    assert (Mean().fit(check_examples(FEATURES, LABELS)).predict(FEATURES[:4]) == LABELS.mean()).all()
    line = create("linear:b", ["a", "b"]).fit(check_examples(FEATURES[:, :2], LABELS))
    slope, intercept = np.polyfit(FEATURES[:, 1], LABELS, 1)
    assert line.predict(FEATURES[:9, :2]) == pytest.approx(slope * FEATURES[:9, 1] + intercept)
    assert line.training["learner"] == "linear:b"


@pytest.mark.parametrize("name", NAMES)
def test_parts_come_back_the_same_to_the_last_bit(name, fitted):
    plain, arrays = fitted[name].to_parts()
    again = predictor_from_parts(json.loads(json.dumps(plain)), {k: v.copy() for k, v in arrays.items()})
    new = planted(seed=2)[0]
    assert np.array_equal(again.predict(new), fitted[name].predict(new))
    assert again.training == fitted[name].training
    assert again.to_parts()[0] == plain
    assert all(np.array_equal(array, arrays[key]) for key, array in again.to_parts()[1].items())


@pytest.mark.parametrize("name", NAMES)
def test_a_row_is_predicted_alike_in_any_company(name, fitted):
    new = planted(n=60, seed=3)[0]
    together = fitted[name].predict(new)
    alone = np.concatenate([fitted[name].predict(row[np.newaxis]) for row in new])
    assert np.array_equal(together, alone)
    assert np.array_equal(fitted[name].predict(np.asfortranarray(new[::-1])), together[::-1])
    assert fitted[name].predict(new[:0]).shape == (0,)


@pytest.mark.parametrize("name", NAMES)
def test_prediction_needs_numpy_alone(name, fitted, monkeypatch):
    plain, arrays = fitted[name].to_parts()
    for module in [module for module in sys.modules if module.partition(".")[0] in ("sklearn", "scipy")]:
        monkeypatch.setitem(sys.modules, module, None)
    assert np.isfinite(predictor_from_parts(plain, arrays).predict(FEATURES)).all()


@pytest.mark.parametrize("name", ["ridge", "pls", "svr", "gbm", "best"])
def test_training_without_scikit_learn_says_what_to_install(name, monkeypatch):
    for module in ("sklearn", "sklearn.model_selection"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependency, match=r"pip install 'tercet\[qe\]'"):
        create(name).fit(check_examples(FEATURES, LABELS, GROUPS))


@pytest.mark.parametrize("name", ["ridge", "pls", "svr", "gbm"])
def test_the_same_seed_gives_the_same_model_for_any_number_of_jobs(name, fitted):
    plain, arrays = fitted[name].to_parts()
    with ThreadPoolExecutor(3) as executor:
        other, others = create(name).fit(check_examples(FEATURES, LABELS, GROUPS, executor=executor)).to_parts()
    assert other == plain
    assert all(np.array_equal(array, others[key]) for key, array in arrays.items())


def test_the_same_seed_gives_the_same_model_in_other_processes():
    here = cross_fit(create("pls"), check_examples(FEATURES, LABELS, GROUPS))
    with open_executor(2) as executor:
        there = cross_fit(create("pls"), check_examples(FEATURES, LABELS, GROUPS, executor=executor))
    assert np.array_equal(here.held_out, there.held_out)
    assert here.predictor.to_parts()[0] == there.predictor.to_parts()[0]
    assert np.array_equal(here.predictor.coefficients, there.predictor.coefficients)


def test_another_seed_gives_another_forest(fitted):
    settings = fitted["gbm"].training["settings"]
    other = create("gbm").fit_with(labelled(FEATURES, LABELS, 1), settings)
    assert not np.array_equal(other.predict(FEATURES), fitted["gbm"].predict(FEATURES))


def test_best_records_the_figures_of_all_and_takes_the_least_error(fitted):
    settings = fitted["best"].training["settings"]
    errors = {name: figures["rmse"] for name, figures in settings["figures"].items()}
    assert set(errors) == {"ridge", "pls", "svr", "gbm"}
    assert settings["learner"] == min(errors, key=errors.get)
    assert all(set(figures) == {"rmse", "mae", "pearson"} for figures in settings["figures"].values())
    alone = fitted[settings["learner"]]
    assert np.array_equal(alone.predict(FEATURES), fitted["best"].predict(FEATURES))


def test_held_out_predictions_have_not_seen_their_group():
    # Groups of two with the same features: who has seen the one knows the other by heart.
    rng = np.random.default_rng(4)
    features, labels = np.repeat(rng.normal(size=(60, 4)), 2, axis=0), np.repeat(rng.normal(size=60), 2)
    groups = np.repeat(np.arange(60), 2).tolist()
    settings = {"C": 16.0, "gamma": 1.0, "epsilon": 0.1}
    honest = cross_predict(create("svr"), settings, check_examples(features, labels, groups))
    leaking = cross_predict(create("svr"), settings, check_examples(features, labels))
    assert pearson(honest, labels) < 0.3 < 0.6 < pearson(leaking, labels)


def test_cross_fit_gives_the_predictor_of_fit_and_figures_of_what_was_held_out(fitted):
    both = cross_fit(create("ridge"), check_examples(FEATURES, LABELS, GROUPS))
    assert np.array_equal(both.predictor.predict(FEATURES), fitted["ridge"].predict(FEATURES))
    figures = both.predictor.training["held_out"]
    assert figures["rmse"] == pytest.approx(np.sqrt(np.mean((both.held_out - LABELS) ** 2)))
    assert figures["pearson"] == pytest.approx(pearson(both.held_out, LABELS))
    json.dumps(both.predictor.training, allow_nan=False)
    assert (
        cross_fit(Mean(), check_examples(FEATURES, LABELS, [*range(len(LABELS))])).predictor.training["held_out"][
            "rmse"
        ]
        > 0
    )


@pytest.mark.parametrize("name", NAMES[1:5])
def test_a_value_beyond_those_of_training_is_taken_as_the_nearest_in_cross_validation_too(name):
    features = FEATURES.copy()
    features[7, 0] = features[:, 0].max() + 1000 * features[:, 0].std()
    whole = create(name).fit(check_examples(features, LABELS, GROUPS))
    far = np.where(np.arange(15) < 3, features + 1e6, features)
    assert np.array_equal(whole.predict(far), whole.predict(np.where(np.arange(15) < 3, features.max(0), features)))
    settings = whole.training["settings"]
    held_out = cross_predict(create(name), settings, check_examples(features, LABELS, GROUPS))
    assert abs(held_out[7] - LABELS.mean()) < 10  # a line goes on to hundreds
    (train,) = [train for train, test in folds(GROUPS, 10, 12346) if 7 in test]
    model = create(name).fit_with(labelled(features[train], LABELS[train], 12345), settings)
    assert held_out[7] == model.predict(np.clip(features[[7]], features[train].min(0), features[train].max(0)))[0]


def test_settings_are_chosen_by_errors_of_what_would_be_predicted():
    features = FEATURES.copy()
    features[7, 0] = 1e4 * features[:, 0].max()
    settings = Ridge().fit(check_examples(features, LABELS, GROUPS)).training["settings"]
    errors = []
    for train, test in folds(GROUPS, 5, 12345):
        model = Ridge().fit_with(labelled(features[train], LABELS[train], 12345), settings)
        errors += ((model.predict(features[test]) - LABELS[test]) ** 2).tolist()
    assert settings["rmse"] == pytest.approx(np.sqrt(np.mean(errors)), rel=1e-9)
    chosen = PLS().fit(check_examples(features, LABELS, GROUPS)).training["settings"]
    assert chosen["rmse"] < 2 * LABELS.std()


def test_a_feature_without_a_standard_deviation_in_floating_point_does_no_harm():
    tiny = FEATURES.copy()
    tiny[:, 4] *= 1e-200
    for name in NAMES[1:5]:
        predictor = create(name).fit(check_examples(tiny, LABELS, GROUPS))
        assert 4 not in predictor.inputs.columns
        assert np.isfinite(predictor.predict(tiny)).all()


def test_what_learnt_a_predictor_is_known_again(fitted):
    for name in ("ridge", "pls", "svr", "gbm"):
        learner, settings = learnt_by(fitted[name], ())
        assert (learner.name, settings) == (name, fitted[name].training["settings"])
        for key in learner.needs:
            for wrong in (None, "1", True, -1, 10**9, {}):
                forged = replace(fitted[name], training={"learner": name, "settings": {**settings, key: wrong}})
                with pytest.raises(ValueError, match=f"the setting {key} of {name} is"):
                    learnt_by(forged, ())
    best = fitted["best"].training["settings"]
    learner, settings = learnt_by(fitted["best"], ())
    assert (learner.name, settings) == (best["learner"], best["settings"])
    line = create("linear:b", ["a", "b"]).fit(check_examples(FEATURES[:, :2], LABELS))
    assert learnt_by(line, ["a", "b"])[0] == OneFeature(1, "b")


def test_constant_features_are_left_out_and_named(caplog):
    features = np.insert(FEATURES, 2, 7.0, axis=1)
    with caplog.at_level(logging.WARNING):
        predictor = Ridge().fit(check_examples(features, LABELS, GROUPS))
    assert caplog.messages == ["Features that are the same for all examples are left out: number 3."]
    assert predictor.training["constant"] == [2]
    assert 2 not in predictor.inputs.columns
    features[:, 2] = np.arange(len(features))
    assert np.array_equal(
        predictor.predict(features), Ridge().fit(check_examples(FEATURES, LABELS, GROUPS)).predict(FEATURES)
    )


@pytest.mark.parametrize("name", NAMES[1:])
def test_without_a_feature_that_varies_only_the_mean_is_learned(name):
    with pytest.raises(DataError, match="All 3 features are the same for all examples"):
        create(name).fit(check_examples(np.ones((40, 3)), np.arange(40.0)))
    assert Mean().fit(check_examples(np.empty((40, 0)), np.arange(40.0))).predict(np.empty((2, 0))).tolist() == [
        19.5,
        19.5,
    ]


@pytest.mark.parametrize("name", NAMES[1:5])
def test_a_feature_that_varies_in_one_fold_alone_does_no_harm(name):
    features, labels = np.zeros((40, 1)), np.arange(40.0)
    features[7] = 1
    predictor = create(name).fit(check_examples(features, labels))
    held_out = cross_predict(create(name), predictor.training["settings"], check_examples(features, labels))
    assert np.isfinite(held_out).all()


@pytest.mark.parametrize("name", ["ridge", "pls", "svr", "gbm"])
def test_twenty_examples_with_more_features_than_examples_are_enough(name):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(20, 30))
    predictor = create(name).fit(check_examples(features, features[:, 0] + 0.1 * rng.normal(size=20)))
    assert np.isfinite(predictor.predict(features)).all()


def test_the_unit_of_a_label_does_not_matter(fitted):
    for name in ("ridge", "pls", "svr"):
        scaled = create(name).fit(check_examples(FEATURES, 1000 * LABELS - 5, GROUPS))
        assert scaled.predict(FEATURES) == pytest.approx(1000 * fitted[name].predict(FEATURES) - 5, rel=1e-3, abs=20)


def test_examples_that_nothing_can_be_learned_from_are_refused():
    with pytest.raises(DataError, match="19 examples are too few to learn from; at least 20 are needed"):
        Ridge().fit(check_examples(FEATURES[:19], LABELS[:19]))
    with pytest.raises(DataError, match="All 240 labels are 3: there is nothing to learn"):
        Ridge().fit(check_examples(FEATURES, np.full(240, 3.0)))
    with pytest.raises(DataError, match="All examples belong to one group"):
        Ridge().fit(check_examples(FEATURES, LABELS, ["x"] * 240))
    with pytest.raises(DataError, match="label of example 5 is nan. Every example needs a label"):
        Ridge().fit(check_examples(FEATURES, np.where(np.arange(240) == 4, np.nan, LABELS)))
    gap = FEATURES.copy()
    gap[6, 1] = np.nan
    with pytest.raises(DataError, match=r"Feature number 2 of example 7 is nan, not a number \(1 such value\)"):
        Ridge().fit(check_examples(gap, LABELS))
    with pytest.raises(UsageError, match=r"one label for each of the 240 examples, not \(239,\)"):
        Ridge().fit(check_examples(FEATURES, LABELS[1:]))
    with pytest.raises(UsageError, match="one group for each of the 240 examples, not 239"):
        Ridge().fit(check_examples(FEATURES, LABELS, GROUPS[1:]))
    with pytest.raises(DataError, match=r"shape \(examples, features\), not \(240,\)"):
        check_examples(LABELS, LABELS)


def test_other_features_than_those_of_training_are_refused(fitted):
    with pytest.raises(DataError, match="trained on 15 features, and 14 are given"):
        fitted["ridge"].predict(FEATURES[:, 1:])
    with pytest.raises(DataError, match="Feature number 1 of example 1 is inf"):
        fitted["svr"].predict(np.full((3, 15), np.inf))


def test_unknown_learners_and_features_are_named():
    with pytest.raises(UnknownName, match="no learner called 'rigde'. Did you mean ridge"):
        create("rigde")
    with pytest.raises(UnknownName, match="no learner called 'logistic'"):
        create("logistic")  # it learns from pairs
    with pytest.raises(UnknownName, match="no feature called 'lenght'. Did you mean length"):
        create("linear:lenght", ["length", "lm"])


def test_best_takes_any_candidates():
    best = Best((Mean(), OneFeature(0)))
    assert best.fit(check_examples(FEATURES, LABELS, GROUPS)).training["settings"]["learner"] == "linear:0"


def broken(parts, **changes):
    """Parts with other values, or without those that are None."""
    plain, arrays = dict(parts[0]), dict(parts[1])
    for name, value in changes.items():
        place = plain if name in plain or not isinstance(value, np.ndarray | type(None)) else arrays
        place[name] = value
        if value is None:
            del place[name]
    return plain, arrays


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("ridge", {"kind": "neural"}, "unknown kind of predictor, 'neural'; known: linear, kernel, trees"),
        ("ridge", {"kind": 3}, "unknown kind of predictor, 3"),
        ("ridge", {"kind": "kernel"}, "gamma is missing among its values"),
        ("ridge", {"coefficients": None}, "coefficients is missing among its arrays"),
        ("ridge", {"more": np.zeros(3)}, "more is unknown among its arrays"),
        ("ridge", {"more": 3.0}, "more is unknown among its values"),
        ("ridge", {"intercept": float("nan")}, "intercept is nan"),
        ("ridge", {"intercept": "3"}, "intercept is '3'"),
        ("ridge", {"training": 5}, "training is 5"),
        ("ridge", {"width": -1}, "width is -1"),
        ("ridge", {"width": 3}, "columns are not ascending numbers below 3"),
        ("ridge", {"coefficients": np.zeros(3)}, "3 coefficients for 15 features"),
        (
            "ridge",
            {"coefficients": np.zeros(15, dtype=np.float32)},
            "coefficients is not an array of finite float64 numbers",
        ),
        ("ridge", {"coefficients": np.zeros((15, 1))}, r"coefficients has the shape \(15, 1\)"),
        ("ridge", {"means": np.full(15, np.inf)}, "means is not an array of finite float64 numbers"),
        ("ridge", {"means": np.zeros(4)}, "15 columns and 4 means"),
        ("ridge", {"highest": np.zeros(0)}, "15 columns and 0 highest"),
        ("ridge", {"lowest": np.full(15, 1e9)}, "a lowest value is not below the highest"),
        ("ridge", {"more\x1b[2J": 3.0}, r"more\\x1b\[2J is unknown among its values"),
        ("ridge", {"scales": np.zeros(15)}, "a scale is not positive"),
        ("svr", {"weights": np.zeros(2)}, r"vectors of shape .* for \(2,\) weights"),
        ("svr", {"gamma": -1.0}, "gamma is -1.0"),
        ("gbm", {"value": np.zeros(2)}, "arrays are not equally long"),
        ("gbm", {"roots": np.array([10**6])}, "a root of the trees does not exist"),
        ("gbm", {"feature": "high"}, "a feature of the trees does not exist"),
        ("gbm", {"left": "loop"}, "a path in a tree does not lead down"),
    ],
)
def test_parts_that_are_no_predictor_are_refused(name, changes, message, fitted):
    parts = fitted[name].to_parts()
    nodes = parts[1].get("left")
    replaced = {
        "high": lambda: np.full(len(nodes), 15),
        "loop": lambda: np.zeros(len(nodes), dtype=np.int64),
    }
    changes = {k: replaced[v]() if isinstance(v, str) and v in replaced else v for k, v in changes.items()}
    with pytest.raises(DataError, match=message):
        predictor_from_parts(*broken(parts, **changes))


def test_a_draw_of_examples_can_be_learned_from_whatever_the_sizes_of_groups():
    def sample(labels, groups, size):
        return check_examples(np.empty((len(labels), 0)), labels, groups, seed=3).sample(size)

    labels = np.arange(5000.0)
    for sizes in ([2500, 2500], [5, 4995], [1] * 5000):
        groups = np.repeat(np.arange(len(sizes)), sizes).tolist()
        found = sample(labels, groups, 1000)
        assert len(found.labels) >= 20
        assert len(set(found.groups)) > 1
    assert len(found.labels) == 1000
    same = np.where(np.arange(5000) < 4990, 1.0, labels)
    assert len(np.unique(sample(same, None, 20).labels)) > 1
    assert sample(labels[:30], None, 1000).labels.tolist() == list(range(30))

"""Importance by permutation and by partial least squares, on features of known use."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tercet.learning.diagnosis import permutation_importance, pls_weights
from tercet.learning.examples import check_examples
from tercet.learning.learners import create
from tercet.learning.linear import OneFeature

from .examples import planted

FEATURES, LABELS, GROUPS = planted()
NAMES = [f"f{place}" for place in range(FEATURES.shape[1])]
SETTINGS = {
    "ridge": {"alpha": 0.01},
    "svr": {"C": 2.0, "gamma": 0.25, "epsilon": 0.1},
    "gbm": {"depth": 2, "rate": 0.1, "trees": 50},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_what_matters_comes_first(name):
    found = permutation_importance(
        create(name), SETTINGS[name], check_examples(FEATURES, LABELS, GROUPS), names=NAMES, repeats=2
    )
    assert [row.feature for row in found[:3]] == ["f0", "f1", "f2"]
    assert found[2].increase > 5 * max(abs(row.increase) for row in found[3:])
    assert found[0].increase > 3 * found[0].standard_error
    assert sorted(row.feature for row in found) == sorted(NAMES)


def test_the_increase_of_a_linear_model_is_that_of_theory():
    # A feature with slope b and variance 1, shuffled, adds 2 b^2 to the squared error.
    found = permutation_importance(
        create("ridge"), {"alpha": 1e-6}, check_examples(FEATURES, LABELS, GROUPS), names=NAMES, repeats=20
    )
    first = found[0]
    assert first.feature == "f0"
    rmse = 0.5
    assert first.increase == pytest.approx(np.sqrt(rmse**2 + 2) - rmse, rel=0.15)


def test_a_feature_that_the_model_does_not_use_has_none():
    found = permutation_importance(OneFeature(1), {}, check_examples(FEATURES, LABELS, GROUPS), names=NAMES)
    assert found[0].feature == "f1"
    assert all(row.increase == row.standard_error == 0 for row in found[1:])


def test_importance_is_the_same_for_any_number_of_jobs():
    def find(**how):
        data = check_examples(FEATURES, LABELS, GROUPS, **how)
        return permutation_importance(create("ridge"), SETTINGS["ridge"], data, names=NAMES)

    with ThreadPoolExecutor(3) as executor:
        assert find(executor=executor) == find()
    assert find(seed=1) != find()


def test_pls_weights_cover_all_features_also_constant_ones():
    features = np.insert(FEATURES, 1, 4.0, axis=1)
    vip, coefficients = pls_weights(features, LABELS)
    assert vip[1] == coefficients[1] == 0
    assert np.delete(vip, 1) == pytest.approx(pls_weights(FEATURES, LABELS)[0])
    assert coefficients[[0, 2, 3]] == pytest.approx([1, -0.7, 0.5], abs=0.15)
    assert pls_weights(np.ones((30, 2)), LABELS[:30])[0].tolist() == [0, 0]


def test_importance_is_that_on_groups_which_the_model_has_not_seen():
    # Pairs of the same features, labels by chance: only who has seen the one knows the other.
    rng = np.random.default_rng(4)
    features, labels = np.repeat(rng.normal(size=(60, 4)), 2, axis=0), np.repeat(rng.normal(size=60), 2)
    given = create("svr"), {"C": 16.0, "gamma": 1.0, "epsilon": 0.1}
    grouped = check_examples(features, labels, np.repeat(np.arange(60), 2).tolist())
    honest = permutation_importance(*given, grouped, names=NAMES[:4])
    leaking = permutation_importance(*given, check_examples(features, labels), names=NAMES[:4])
    assert honest[0].increase < 0.1
    assert leaking[-1].increase > 0.2

"""More examples, less error."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tercet.errors import DataError
from tercet.learning.diagnosis import learning_curve
from tercet.learning.examples import check_examples
from tercet.learning.learners import create

from .examples import planted

FEATURES, LABELS, GROUPS = planted(n=300, irrelevant=20)
DATA = check_examples(FEATURES, LABELS, GROUPS)
RIDGE = create("ridge"), {"alpha": 0.1}, DATA
PLS = create("pls"), {"features": 5, "components": 2}


def test_the_error_falls_and_the_correlation_rises():
    curve = learning_curve(*RIDGE, fractions=(1, 0.1, 0.3), repeats=8)
    assert [point.examples for point in curve] == [24, 72, 240]
    assert curve[0].rmse > curve[1].rmse > curve[2].rmse > 0.45
    assert curve[0].pearson < curve[2].pearson
    assert all(0 < point.rmse_spread < 1 and point.repeats == 8 for point in curve)


def test_given_settings_are_used_in_all_points():
    heavy = learning_curve(create("ridge"), {"alpha": 1e6}, DATA, fractions=(1,))
    assert heavy[0].rmse == pytest.approx(LABELS.std(), rel=0.2)


def test_the_curve_is_the_same_for_any_number_of_jobs():
    given = {"fractions": (0.5, 1.0), "repeats": 2}
    with ThreadPoolExecutor(3) as executor:
        many = learning_curve(*PLS, check_examples(FEATURES, LABELS, GROUPS, executor=executor), **given)
    assert many == learning_curve(*PLS, DATA, **given)


def test_fractions_with_too_few_examples_are_passed_over():
    few = *RIDGE[:2], check_examples(FEATURES[:60], LABELS[:60], GROUPS[:60])
    curve = learning_curve(*few, fractions=(0.2, 1.0), repeats=1)
    assert [point.examples for point in curve] == [48]
    assert np.isnan(curve[0].rmse_spread)
    with pytest.raises(DataError, match="60 examples are too few for a learning curve: .* learning needs 20 or more"):
        learning_curve(*few, fractions=(0.2,))


def test_the_mean_has_an_error_and_no_correlation():
    (point,) = learning_curve(create("mean"), {}, DATA, fractions=(1.0,))
    assert point.rmse > 0 and np.isnan(point.pearson)

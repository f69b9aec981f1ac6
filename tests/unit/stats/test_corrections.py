"""Holm's correction by hand and against the closed testing procedure that it is a short cut for."""

from itertools import combinations

import numpy as np
import pytest

from tercet.errors import UsageError
from tercet.stats import holm, holm_pairs

NAN = float("nan")


def closed_testing(p_values):
    """A hypothesis is rejected if every set that holds it is, each by Bonferroni: the largest p of all those sets."""
    indices = range(len(p_values))
    sets = [chosen for size in range(1, len(p_values) + 1) for chosen in combinations(indices, size)]
    return [max(min(1.0, len(s) * min(p_values[j] for j in s)) for s in sets if i in s) for i in indices]


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.2], [0.2]),
        ([], []),
        ([0.9, 0.8, 0.7], [1.0, 1.0, 1.0]),
        ([0.02, 0.02], [0.04, 0.04]),
        ([0.01, NAN, 0.04], [0.02, NAN, 0.04]),
        ([NAN, NAN], [NAN, NAN]),
    ],
)
def test_by_hand(p_values, expected):
    assert holm(p_values) == pytest.approx(expected, abs=1e-15, nan_ok=True)


@pytest.mark.parametrize("seed", range(20))
def test_equals_closed_testing(seed):
    p_values = np.random.default_rng(seed).random(6) ** 3
    assert holm(p_values) == pytest.approx(closed_testing(p_values), abs=1e-15)


def test_a_matrix_counts_each_pair_once():
    p = np.array([[1, 0.01, 0.04], [0.01, 1, 0.03], [0.04, 0.03, 1]])
    corrected = holm_pairs(p)
    assert corrected == pytest.approx(np.array([[1, 0.03, 0.06], [0.03, 1, 0.06], [0.06, 0.06, 1]]))
    assert p[0, 1] == 0.01  # the input is left alone


def test_pairs_that_were_not_compared_do_not_count():
    p = np.array([[1, 0.01, 0.04], [0.01, 1, NAN], [0.04, NAN, 1]])
    assert holm_pairs(p) == pytest.approx(np.array([[1, 0.02, 0.04], [0.02, 1, NAN], [0.04, NAN, 1]]), nan_ok=True)


def test_wrong_shapes_are_refused():
    with pytest.raises(UsageError, match=r"needs p-values of shape \(tests,\), not \(2, 2\)"):
        holm(np.ones((2, 2)))
    with pytest.raises(UsageError, match="symmetric matrix"):
        holm_pairs([[1, 0.1], [0.2, 1]])
    with pytest.raises(UsageError, match="symmetric matrix"):
        holm_pairs([0.1, 0.2])

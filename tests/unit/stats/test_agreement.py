"""Kappa by hand, from a table of a textbook's kind, and what has none."""

import numpy as np
import pytest

from tercet.errors import UnknownName, UsageError
from tercet.stats.agreement import WEIGHTS, kappa, kappa_matrix

from .coefficients import mean_kappa

nan = float("nan")


def ratings_of(table):
    """Two raters' ratings from a table of counts: rows are the first rater's, columns the second's, from 1."""
    cells = [(i + 1, j + 1) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return np.array(cells).T


def test_two_categories_by_hand():
    # Observed agreement .7, by chance .5 * .6 + .5 * .4 = .5.
    assert kappa(*ratings_of([[20, 5], [10, 15]])) == pytest.approx((0.7 - 0.5) / 0.5)


@pytest.mark.parametrize(
    ("weights", "expected"),
    # Of ten items three are apart by 1, one by 2. Of the 100 combinations of the margins 4 2 4 and 5 1 4,
    # 4 + 10 + 8 + 4 = 26 are apart by 1 and 16 + 20 = 36 by 2.
    [
        ("standard", 1 - 4 / 6.2),
        ("linear", 1 - 5 / 9.8),
        ("one-off", 1 - 1 / 3.6),
        ("quadratic", 1 - 7 / 17.0),
    ],
)
def test_three_categories_by_hand(weights, expected):
    table = [[3, 1, 0], [1, 0, 1], [1, 0, 3]]
    assert kappa(*ratings_of(table), weights=weights) == pytest.approx(expected)


def test_equal_raters_agree_and_chance_is_0():
    for weights in WEIGHTS:
        assert kappa([1, 2, 3, 4], [1, 2, 3, 4], weights=weights) == 1
    assert kappa(*ratings_of([[1, 1], [1, 1]])) == 0
    assert kappa([1, 2], [2, 1]) == -1


def test_kappa_is_nan_where_chance_explains_all():
    assert np.isnan(kappa([3, 3, 3], [3, 3, 3]))
    assert np.isnan(kappa([1, 2, 1], [2, 1, 2], weights="one-off"))  # no two ratings are further apart than 1
    assert np.isnan(kappa([1], [2]))
    assert np.isnan(kappa([], []))
    assert kappa([1, 1, 1], [2, 2, 2]) == 0


def test_only_items_that_both_rated_count():
    assert kappa([1, 2, nan, 2, 5], [1, 1, 4, 2, nan]) == kappa([1, 2, 2], [1, 1, 2])


def test_many_raters_by_pairs():
    ratings = np.array([[1, 2, 3, 4], [1, 2, 3, 3], [4, 3, 2, 1], [nan, nan, nan, 1]])
    matrix = kappa_matrix(ratings, weights="linear")
    assert matrix.shape == (4, 4)
    assert matrix[0, 1] == matrix[1, 0] == kappa(ratings[0], ratings[1], weights="linear")
    assert np.isnan(np.diag(matrix)).all() and np.isnan(matrix[3]).all()
    expected = np.mean([matrix[0, 1], matrix[0, 2], matrix[1, 2]])
    assert mean_kappa(ratings, weights="linear") == pytest.approx(expected)
    assert kappa_matrix(np.empty((0, 3))).shape == (0, 0)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(UnknownName, match="no kind of kappa called 'lineal'. Did you mean linear?"):
        kappa([1, 2], [1, 2], weights="lineal")
    with pytest.raises(UsageError, match=r"rated the same items, not \(2,\) and \(3,\)"):
        kappa([1, 2], [1, 2, 3])
    with pytest.raises(UsageError, match=r"shape \(raters, items\), not \(3,\)"):
        kappa_matrix([1, 2, 3])

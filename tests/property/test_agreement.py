"""Kappa equals its definition on tables, and does not change with sides, order or names of values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.stats.agreement import WEIGHTS, kappa

RATINGS = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=30).map(
    lambda rows: np.array(rows, dtype=np.float64).T
)
KINDS = st.sampled_from(sorted(WEIGHTS))


def slow_kappa(first, second, weights):
    """From the whole table of five categories, as Cohen (1968) writes it."""
    table = np.zeros((5, 5))
    for i, j in zip(first.astype(int), second.astype(int), strict=True):
        table[i - 1, j - 1] += 1
    by_chance = np.outer(table.sum(1), table.sum(0)) / table.sum()
    cost = [
        [
            {"standard": i != j, "linear": abs(i - j), "one-off": max(0, abs(i - j) - 1), "quadratic": (i - j) ** 2}[
                weights
            ]
            for j in range(5)
        ]
        for i in range(5)
    ]
    expected = (cost * by_chance).sum()
    return 1 - (cost * table).sum() / expected if expected else float("nan")


@given(RATINGS, KINDS)
def test_kappa_equals_its_definition(ratings, weights):
    assert kappa(*ratings, weights=weights) == pytest.approx(slow_kappa(*ratings, weights), nan_ok=True, abs=1e-12)


@given(RATINGS, KINDS)
def test_sides_order_and_direction_do_not_matter(ratings, weights):
    first, second = ratings
    value = pytest.approx(kappa(first, second, weights=weights), nan_ok=True, abs=1e-12)
    assert kappa(second, first, weights=weights) == value
    assert kappa(first[::-1], second[::-1], weights=weights) == value
    assert kappa(6 - first, 6 - second, weights=weights) == value


@given(RATINGS)
def test_standard_kappa_sees_names_only(ratings):
    names = np.array([0, 7, -3, 20, 11, 2])
    renamed = names[ratings.astype(int)]
    assert kappa(*renamed) == pytest.approx(kappa(*ratings), nan_ok=True)

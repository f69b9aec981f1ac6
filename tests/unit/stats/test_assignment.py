"""The assignment of least cost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.stats.assignment import assign


@given(st.integers(0, 6), st.integers(0, 4), st.randoms(use_true_random=False))
def test_the_sum_is_the_smallest_as_in_scipy(rows, more, random):
    optimize = pytest.importorskip("scipy.optimize")
    costs = [[random.choice([0.0, 0.25, 0.5, 1.0, random.random()]) for _ in range(rows + more)] for _ in range(rows)]
    found = assign(costs)
    assert len(set(found)) == rows
    if rows:
        expected = np.array(costs)[optimize.linear_sum_assignment(costs)].sum()
        assert sum(costs[row][column] for row, column in enumerate(found)) == pytest.approx(expected)


def test_there_must_be_enough_columns():
    with pytest.raises(ValueError, match="2 rows cannot be assigned to 1 columns"):
        assign([[1.0], [2.0]])

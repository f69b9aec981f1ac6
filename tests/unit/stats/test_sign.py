"""The sign test against values from tables and from scipy."""

import pytest
from scipy.stats import binomtest

from tercet.stats.sign import least_sign_p, sign_test


@pytest.mark.parametrize(("wins", "losses"), [(0, 6), (6, 0), (3, 9), (10, 12), (60, 30), (700, 620), (0, 1)])
def test_p_values_equal_the_exact_binomial_test(wins, losses):
    assert sign_test(wins, losses) == pytest.approx(binomtest(wins, wins + losses).pvalue, rel=1e-9)


def test_equal_numbers_and_no_cases_show_nothing():
    assert sign_test(0, 0) == sign_test(4, 4) == 1


def test_the_smallest_p_value_is_that_of_wins_alone():
    assert [least_sign_p(n) for n in (0, 1)] == [1, 1]
    assert all(least_sign_p(n) == sign_test(n, 0) for n in range(1, 30))

"""Clusters and rank ranges by hand."""

import numpy as np
import pytest

from tercet.errors import UsageError
from tercet.stats import rank

NAN = float("nan")


def p_matrix(count, significant):
    """1 everywhere but .01 for the pairs given."""
    p = np.ones((count, count))
    for i, j in significant:
        p[i, j] = p[j, i] = 0.01
    return p


def test_a_line_is_drawn_where_all_above_beat_all_below():
    scores = [30, 29, 28, 20]
    result = rank(scores, p_matrix(4, [(0, 2), (0, 3), (1, 3), (2, 3)]), higher_is_better=True)
    assert result.order == (0, 1, 2, 3)
    assert result.clusters == ((0, 1, 2), (3,))
    # 0 beats 2 and 3; 1 beats 3; 2 loses to 0 and beats 3; 3 loses to all.
    assert result.ranges == ((1, 2), (1, 3), (2, 3), (4, 4))
    assert [result.cluster_of(system) for system in range(4)] == [1, 1, 1, 2]


def test_neighbours_that_differ_are_not_separated_while_others_across_the_line_do_not():
    # 1 beats 2, but 0, which is noisy, does not beat 2: no line between 1 and 2.
    result = rank([30, 29, 28], p_matrix(3, [(1, 2)]), higher_is_better=True)
    assert result.clusters == ((0, 1, 2),)
    assert result.ranges == ((1, 3), (1, 2), (2, 3))


def test_all_different_and_none_different():
    every = [(i, j) for i in range(4) for j in range(i)]
    assert rank([1, 4, 2, 3], p_matrix(4, every), higher_is_better=True).clusters == ((1,), (3,), (2,), (0,))
    result = rank([1, 4, 2, 3], p_matrix(4, []), higher_is_better=True)
    assert result.clusters == ((1, 3, 2, 0),)
    assert result.ranges == ((1, 4),) * 4


def test_lower_scores_are_better_where_they_are():
    result = rank([0.6, 0.4, 0.5], p_matrix(3, [(0, 1), (0, 2)]), higher_is_better=False)
    assert result.order == (1, 2, 0)
    assert result.clusters == ((1, 2), (0,))
    assert result.ranges == ((3, 3), (1, 2), (1, 2))


def test_equal_scores_keep_their_order_and_share_a_cluster():
    result = rank([5, 7, 7], p_matrix(3, [(0, 1), (0, 2)]), higher_is_better=True)
    assert result.clusters == ((1, 2), (0,))


def test_the_level_itself_is_not_significant():
    p = np.array([[1, 0.05], [0.05, 1]])
    assert rank([2, 1], p, higher_is_better=True).clusters == ((0, 1),)
    assert rank([2, 1], p, higher_is_better=True, alpha=0.051).clusters == ((0,), (1,))


def test_a_system_without_a_score_is_not_ranked_and_joins_no_clusters():
    p = p_matrix(3, [(0, 2)])
    p[1] = p[:, 1] = NAN
    result = rank([3, NAN, 1], p, higher_is_better=True)
    assert result.order == (0, 2)
    assert result.clusters == ((0,), (2,))
    assert result.unranked == (1,)
    assert result.ranges == ((1, 1), None, (2, 2))
    assert result.cluster_of(1) is None


def test_an_undefined_p_value_separates_nobody():
    assert rank([2, 1], [[1, NAN], [NAN, 1]], higher_is_better=True).clusters == ((0, 1),)


def test_no_systems_have_no_clusters():
    assert rank([], np.empty((0, 0)), higher_is_better=True).clusters == ()


def test_wrong_shapes_and_levels_are_refused():
    with pytest.raises(UsageError, match=r"shape \(2,\) do not match p-values of shape \(3, 3\)"):
        rank([1, 2], np.ones((3, 3)), higher_is_better=True)
    with pytest.raises(UsageError, match="significance level must lie between 0 and 1, not 5"):
        rank([1, 2], np.ones((2, 2)), higher_is_better=True, alpha=5)

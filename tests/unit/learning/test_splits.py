"""Whole groups are dealt out, evenly and in the same way every time."""

import numpy as np
import pytest

from tercet.errors import DataError, UsageError
from tercet.learning.examples import folds, hold_out, number_groups

GROUPS = ["a", "b", "a", "c", "d", "e", "e", "e", "f", "g"]


def groups_of(rows):
    return {GROUPS[row] for row in rows}


def test_every_example_is_tested_once_and_no_group_is_divided():
    splits = folds(GROUPS, 3, seed=7)
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(len(GROUPS)))
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(len(GROUPS)))
        assert not groups_of(train) & groups_of(test)
    assert [len(test) for _, test in splits] in ([4, 3, 3], [3, 4, 3], [3, 3, 4])


def test_splits_depend_on_the_seed_and_on_nothing_else():
    first, again, other = folds(GROUPS, 3, 1), folds(GROUPS, 3, 1), folds(GROUPS, 3, 2)
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(first, again, strict=True))
    assert any(not np.array_equal(a[1], b[1]) for a, b in zip(first, other, strict=True))
    renamed = folds([("group", name) for name in GROUPS], 3, 1)
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(first, renamed, strict=True))


def test_with_fewer_groups_than_folds_each_group_is_held_out_once():
    splits = folds(["x", "y", "x", "z"], 5)
    assert sorted(tuple(test) for _, test in splits) == [(0, 2), (1,), (3,)]


def test_a_hold_out_has_whole_groups_of_about_the_share():
    groups = [i // 2 for i in range(100)]
    train, test = hold_out(groups, 0.2, seed=3)
    assert len(test) == 20 and len(train) == 80
    assert not {groups[row] for row in train} & {groups[row] for row in test}
    for seed in range(5):
        train, test = hold_out(["big"] * 9 + ["small"], 0.5, seed)
        assert len(train) and len(test)


def test_a_smaller_test_part_is_in_a_larger_one():
    groups = [i // 3 for i in range(90)]
    small, large = hold_out(groups, 1 / 3, 5)[1], hold_out(groups, 2 / 3, 5)[1]
    assert len(small) == 30 and len(large) == 60
    assert set(small) < set(large)
    assert len(hold_out(groups, 0)[1]) == 3
    assert len(hold_out(groups, 1)[0]) == 3


def test_large_seeds_are_taken():
    assert len(folds(GROUPS, 3, 2**40)) == 3
    assert len(hold_out(GROUPS, 0.5, 2**40)) == 2


def test_groups_are_numbered_by_first_appearance():
    assert number_groups(["b", "a", "b", 3], 4, "examples").tolist() == [0, 1, 0, 2]


def test_what_cannot_be_split_is_said():
    with pytest.raises(DataError, match="is a single group of examples: nothing can be held out"):
        folds(["x"] * 30)
    with pytest.raises(DataError, match="are no examples"):
        folds([])
    with pytest.raises(UsageError, match="seed must be a whole number and not negative, not -1"):
        folds(GROUPS, 2, -1)

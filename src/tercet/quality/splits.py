"""Splitting examples for training and testing so that a group is never on both sides.

Translations of one sentence, or sentences of one document, are alike: a model that has seen one of them knows more of
the others than it will know of new text. What is estimated on such a split is too good. So whole groups are dealt out.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, UsageError

SEED = 12345
Rows = NDArray[np.int64]
Split = tuple[Rows, Rows]  # training rows, test rows, each in ascending order


def number_groups(groups: Sequence[Hashable]) -> Rows:
    """For each example the number of its group, from 0, in the order of first appearance: names do not matter."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(group, len(numbers)) for group in groups], dtype=np.int64)


def folds(groups: Sequence[Hashable], n: int = 5, seed: int = SEED) -> list[Split]:
    """`n` splits in which every example is in one test part; no group is divided, the parts are about equally large.

    Groups are shuffled, then dealt out by size, the largest first, each to the part that is smallest so far. Where
    there are fewer groups than `n`, each group is a part (leave one group out).
    """
    if not isinstance(n, int | np.integer) or n < 2:
        raise UsageError(f"The number of folds must be a whole number, at least 2, not {n!r}.")
    numbers = number_groups(groups)
    sizes = _group_sizes(numbers)
    order = _shuffled(len(sizes), seed)
    order = order[np.argsort(-sizes[order], kind="stable")]
    n = min(n, len(sizes))
    totals, part_of = [0] * n, np.empty(len(sizes), dtype=np.int64)
    for group in order:
        part = min(range(n), key=totals.__getitem__)
        part_of[group] = part
        totals[part] += int(sizes[group])
    parts = part_of[numbers]
    return [(np.flatnonzero(parts != part), np.flatnonzero(parts == part)) for part in range(n)]


def hold_out(groups: Sequence[Hashable], share: float, seed: int = SEED) -> Split:
    """One split: whole groups drawn at random until about `share` of the examples are in the test part."""
    if not 0 < share < 1:
        raise UsageError(f"The share of examples to hold out must lie between 0 and 1, not {share!r}.")
    test = draw_groups(groups, round(share * len(groups)), seed)
    kept = np.ones(len(groups), dtype=bool)
    kept[test] = False
    if not kept.any():  # two groups, of which the larger was drawn
        numbers = number_groups(groups)
        kept = numbers == numbers[-1]
        test = np.flatnonzero(~kept)
    return np.flatnonzero(kept), test


def draw_groups(groups: Sequence[Hashable], size: int, seed: int = SEED) -> Rows:
    """The rows of whole groups drawn at random, at least one group, until they have about `size` examples.

    With the same seed a smaller draw is part of a larger one.
    """
    numbers = number_groups(groups)
    sizes = _group_sizes(numbers)
    order = _shuffled(len(sizes), seed)
    reached = np.cumsum(sizes[order])
    # The last group is taken if that brings the number nearer to what was asked for.
    count = max(1, int(np.count_nonzero(reached - sizes[order] / 2 <= size)))
    drawn = np.zeros(len(sizes), dtype=bool)
    drawn[order[:count]] = True
    return np.flatnonzero(drawn[numbers])


def _group_sizes(numbers: Rows) -> Rows:
    sizes = np.bincount(numbers) if len(numbers) else np.zeros(0, dtype=np.int64)
    if len(sizes) < 2:
        raise DataError(
            f"There {'are no examples' if not len(sizes) else 'is a single group of examples'}: nothing can be held "
            "out. Give examples of at least two groups (source sentences, or documents)."
        )
    return sizes


def _shuffled(count: int, seed: int) -> Rows:
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise UsageError(f"The seed must be a whole number and not negative, not {seed!r}.")
    return np.random.default_rng(seed).permutation(count)

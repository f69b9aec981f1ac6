"""Split examples into training and test parts by whole groups, with scikit-learn's splitters.

Translations of one sentence, or sentences of one document, are alike. A model that has seen one of them predicts the
others better than new text, so figures from a split that divides groups are too good.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, MissingDependency, UsageError

SEED = 12345
Rows = NDArray[np.int64]
Split = tuple[Rows, Rows]  # training rows, test rows, each in ascending order


def number_groups(groups: Sequence[Hashable] | None, n: int, what: str) -> Rows:
    """Return the number of each example's group, from 0, in the order of first appearance: names do not matter.

    Without groups, each example is its own group. n: the number of examples; what: how they are called in errors.
    """
    if groups is None:
        return np.arange(n)
    if len(groups) != n:
        raise UsageError(f"There must be one group for each of the {n} {what}, not {len(groups)}.")
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(group, len(numbers)) for group in groups], dtype=np.int64)


def folds(groups: Sequence[Hashable], n: int = 5, seed: int = SEED) -> list[Split]:
    """Return `n` splits with about equally large test parts; every example is in one test part.

    If there are fewer groups than `n`, each group is a test part (leave one group out).
    """
    numbers, count = _numbered(groups, seed)
    # GroupKFold(shuffle=True) ignores the sizes of groups. Without shuffle it balances the parts by size and assigns
    # groups of equal size from the last to the first, so the group numbers are shuffled here.
    order = np.random.default_rng(seed).permutation(count)
    shuffled = count - 1 - np.argsort(order)[numbers]
    splitter = scikit_learn("model_selection").GroupKFold(min(n, count))
    return list(splitter.split(numbers, groups=shuffled))


def hold_out(groups: Sequence[Hashable], share: float, seed: int = SEED) -> Split:
    """Return one split: the test part is about `share` of the groups, at least one and not all of them.

    With the same seed, the test part of a smaller share is in that of a larger share.
    """
    numbers, count = _numbered(groups, seed)
    tested = min(max(1, round(share * count)), count - 1)
    splitter = scikit_learn("model_selection").GroupShuffleSplit(1, test_size=tested, random_state=seed % 2**32)
    split: Split = next(splitter.split(numbers, groups=numbers))
    return split


def _numbered(groups: Sequence[Hashable], seed: int) -> tuple[Rows, int]:
    """Return the numbers of groups and how many there are, or raise an error if they cannot be split."""
    numbers = number_groups(groups, len(groups), "examples")
    if not numbers.any():
        raise DataError(
            f"There {'is a single group of examples' if len(numbers) else 'are no examples'}: nothing can be held "
            "out. Give examples of at least two groups (source sentences, or documents)."
        )
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise UsageError(f"The seed must be a whole number and not negative, not {seed!r}.")
    return numbers, int(numbers.max()) + 1


def scikit_learn(module: str) -> Any:
    """Import a module of scikit-learn. Only training needs it."""
    try:
        return import_module(f"sklearn.{module}")
    except ImportError:
        raise MissingDependency("Training a model of quality estimation", "qe") from None

"""Examples to learn from, and their division into training and test parts by whole groups.

Translations of one sentence, or sentences of one document, are alike. A model that has seen one of them predicts the
others better than new text, so figures from a split that divides groups are too good.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError, UsageError, optional
from ..stats.correlation import is_constant_series
from ..types import Floats
from ..workers import results_in_order
from . import SEED
from .predictors import Inputs, check_features

MINIMUM = 20  # examples: five folds of four
FOLDS = 5
Rows = NDArray[np.int64]
Split = tuple[Rows, Rows]  # training rows, test rows, each in ascending order
Result = TypeVar("Result")


def _none() -> Rows:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Examples:
    """Features of outputs, with what people said of them: a label of each, pairs of which one is better, or both.

    labels: NaN where there is none. groups: the number of each row's group. better, worse: the rows of each pair.
    weights: of the rows, and of the pairs by their better row; None for equal weights.
    """

    features: Floats  # (n, k)
    labels: Floats  # (n,)
    groups: Rows  # (n,)
    better: Rows = field(default_factory=_none)
    worse: Rows = field(default_factory=_none)
    weights: Floats | None = None
    seed: int = SEED
    executor: Executor | None = None

    def take(self, rows: Rows) -> "Examples":
        """Return some rows, and the pairs within them, without the executor."""
        number = np.full(len(self.labels), -1, dtype=np.int64)
        number[rows] = np.arange(len(rows))
        better, worse = number[self.better], number[self.worse]
        kept = (better >= 0) & (worse >= 0)
        weights = None if self.weights is None else self.weights[rows]
        return Examples(
            self.features[rows], self.labels[rows], self.groups[rows], better[kept], worse[kept], weights, self.seed
        )

    def sample(self, size: int) -> "Examples":
        """Return about `size` of the examples in whole groups, or more if those are too few to learn from."""
        while size < len(self.labels):
            _, rows = hold_out(self.groups.tolist(), size / len(self.labels), self.seed)
            found = self.take(rows)
            several = (found.groups != found.groups[0]).any() and not is_constant_series(found.labels)
            if several and len(rows) >= MINIMUM:
                return replace(found, executor=self.executor)
            size *= 2
        return self

    def run_splits(
        self, function: Callable[..., Result], splits: Sequence[Split], grid: Sequence[tuple[object, ...]] = ((),)
    ) -> list[Result]:
        """Call a function of training examples, unseen ones and an entry of the grid, for each entry and split."""
        units = ((self.take(train), self.take(test), *entry) for entry in grid for train, test in splits)
        return run_all(self.executor, function, units)

    def search_grid(self, squared_errors: Callable[..., Floats], grid: Sequence[tuple[object, ...]]) -> Floats:
        """Return the RMSE on held-out groups by setting, shape (grid, m); the function sums m squared errors."""
        # Not scikit-learn's GridSearchCV: here the m settings share work (one kernel matrix, or one series of trees).
        splits = folds(self.groups.tolist(), FOLDS, self.seed)
        sums = np.reshape(self.run_splits(squared_errors, splits, grid), (len(grid), len(splits), -1)).sum(1)
        result: Floats = np.sqrt(sums / len(self.labels))
        return result


def check_examples(
    features: ArrayLike,
    labels: ArrayLike,
    groups: Sequence[Hashable] | None = None,
    *,
    seed: int = SEED,
    executor: Executor | None = None,
) -> Examples:
    """Return features (n, k) and labels (n,) to learn from, or raise an error if nothing can be learnt from them."""
    values, targets = check_features(features), np.asarray(labels, dtype=np.float64)
    if targets.ndim != 1 or len(targets) != len(values):
        raise UsageError(f"There must be one label for each of the {len(values)} examples, not {targets.shape}.")
    bad = np.flatnonzero(~np.isfinite(targets))
    if len(bad):
        raise DataError(f"The label of example {bad[0] + 1} is {targets[bad[0]]}. Every example needs a label.")
    if len(targets) < MINIMUM:
        raise DataError(f"{len(targets)} examples are too few to learn from; at least {MINIMUM} are needed.")
    if is_constant_series(targets):
        raise DataError(f"All {len(targets)} labels are {targets[0]:g}: there is nothing to learn.")
    numbers = number_groups(groups, len(targets), "examples")
    if not numbers.any():
        raise DataError(
            "All examples belong to one group, so that nothing can be held out. Give examples of at least two groups "
            "(source sentences, or documents)."
        )
    return Examples(values, targets, numbers, seed=seed, executor=executor)


def standard_units(features: Floats) -> tuple[Inputs, Floats]:
    """Return the features that vary (with means, scales and ranges), and their standardised values."""
    # In floating point, differences of 1e-200 have a standard deviation of 0: such a feature counts as constant.
    columns = np.flatnonzero(~is_constant_series(features.T) & (features.std(0) > 0))
    varying = features[:, columns]
    seen = varying.mean(0), varying.std(0), varying.min(0), varying.max(0)
    inputs = Inputs(features.shape[1], columns, *seen)
    return inputs, inputs.apply(features)


def number_groups(groups: Sequence[Hashable] | None, n: int, what: str) -> Rows:
    """Number the groups from 0 by first appearance; without groups each example has its own. what: for errors."""
    if groups is None:
        return np.arange(n)
    if len(groups) != n:
        raise UsageError(f"There must be one group for each of the {n} {what}, not {len(groups)}.")
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(group, len(numbers)) for group in groups], dtype=np.int64)


def folds(groups: Sequence[Hashable], n: int = FOLDS, seed: int = SEED) -> list[Split]:
    """Return `n` splits with about equally large test parts; with fewer groups, each group is a test part."""
    numbers, count = _numbered(groups, seed)
    # GroupKFold(shuffle=True) ignores the sizes of groups. Without shuffle it balances the parts by size and assigns
    # groups of equal size from the last to the first, so the group numbers are shuffled here.
    order = np.random.default_rng(seed).permutation(count)
    shuffled = count - 1 - np.argsort(order)[numbers]
    splitter = scikit_learn("model_selection").GroupKFold(min(n, count))
    return list(splitter.split(numbers, groups=shuffled))


def hold_out(groups: Sequence[Hashable], share: float, seed: int = SEED) -> Split:
    """Return a split whose test part is about `share` of the groups; a smaller share is in a larger, by seed."""
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


def scikit_learn(module: str) -> ModuleType:
    """Import a module of scikit-learn. Only training needs it."""
    return optional(f"sklearn.{module}", "Training a model of quality estimation", "qe")


def run_all(
    executor: Executor | None, function: Callable[..., Result], units: Iterable[tuple[object, ...]]
) -> list[Result]:
    """Call a function with each unit of arguments, in other processes if there is an executor; results in order."""
    if executor is None:
        return [on_one_thread(function, *unit) for unit in units]
    tasks = [(function, *unit) for unit in units]
    return list(results_in_order(executor, on_one_thread, tasks, doing="learning", ahead=len(tasks)))


def on_one_thread(function: Callable[..., Result], *given: object) -> Result:
    """Call a function with matrix products on one thread, and return its result.

    Products of this size gain nothing from more threads, which slow each other down if other processes use the cores.
    And the last bits of the result do not depend on the number of cores. threadpoolctl comes with scikit-learn.
    """
    with optional("threadpoolctl", "Training a model", "qe").threadpool_limits(1, user_api="blas"):
        return function(*given)

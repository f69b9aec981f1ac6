"""The base class of learners, and what they share: checks, standardisation, search by grouped cross-validation.

Learning has two steps. `choose` finds settings (a penalty, a number of components) on folds that never split a group.
`fit_with` trains with given settings. Folds are computed in an executor if there is one, and the results are collected
in order, so that the model is the same for any number of jobs.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import DataError, UsageError
from ..stats.correlation import is_constant_series
from ..stats.resampling import Floats
from ..workers import results_in_order
from .predictors import Inputs, Predictor, check_features
from .splits import SEED, Rows, folds, hold_out, number_groups

if TYPE_CHECKING:
    from concurrent.futures import Executor

log = logging.getLogger(__name__)

MINIMUM = 20  # examples: five folds of four
FOLDS = 5
SEARCHED = 2000  # examples on which slow learners search their grids; more would hardly change the settings
Settings = Mapping[str, Any]  # plain values, for JSON
Groups = Sequence[Hashable] | None
Result = TypeVar("Result")


class Learner(ABC):
    """A learning algorithm. Instances are frozen dataclasses and hold no data."""

    reads_features: ClassVar[bool] = True
    needs: ClassVar[Mapping[str, type]] = {}  # the settings of `fit_with`, which are positive numbers

    @property
    @abstractmethod
    def name(self) -> str:
        """The name for `tercet.quality.learners.create`."""

    @abstractmethod
    def choose(
        self, features: Floats, labels: Floats, groups: Rows, *, seed: int, executor: Executor | None
    ) -> Settings:
        """Return settings chosen by cross-validation; the examples have been checked."""

    @abstractmethod
    def fit_with(self, features: Floats, labels: Floats, settings: Settings, *, seed: int) -> Predictor:
        """Return a predictor trained with given settings."""

    def fit(
        self,
        features: ArrayLike,
        labels: ArrayLike,
        groups: Groups = None,
        *,
        seed: int = SEED,
        executor: Executor | None = None,
    ) -> Predictor:
        """Choose settings and return a trained predictor; `features` has shape (n, k), `labels` (n,).

        groups: the group of each example, such as its source sentence. Groups are not split. Without groups, each
        example is its own group.
        """
        values, targets, numbers = check_examples(features, labels, groups)
        constant = np.flatnonzero(is_constant_series(values.T)).tolist()
        if self.reads_features and len(constant) == values.shape[1]:
            raise DataError(
                f"All {len(constant)} features are the same for all examples: there is nothing to learn from."
            )
        settings = self.choose(values, targets, numbers, seed=seed, executor=executor)
        if constant and self.reads_features:
            places = ", ".join(str(column + 1) for column in constant)
            log.warning("Features that are the same for all examples are left out: number %s.", places)
        training = {
            "learner": self.name,
            "settings": dict(settings),
            "examples": len(targets),
            "groups": int(numbers.max()) + 1,
            "constant": constant,
            "seed": seed,
        }
        fit = partial(self.fit_with, values, targets, settings, seed=seed)
        return replace(on_one_thread(fit), training=training)


def check_examples(features: ArrayLike, labels: ArrayLike, groups: Groups = None) -> tuple[Floats, Floats, Rows]:
    """Return features (n, k), labels (n,) and group numbers (n,), or raise an error if nothing can be learnt."""
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
    numbers = number_groups(range(len(targets)) if groups is None else groups)
    if len(numbers) != len(targets):
        raise UsageError(f"There must be one group for each of the {len(targets)} examples, not {len(numbers)}.")
    if not numbers.any():
        raise DataError(
            "All examples belong to one group, so that nothing can be held out. Give examples of at least two groups "
            "(source sentences, or documents)."
        )
    return values, targets, numbers


def draw_some(labels: Floats, groups: Sequence[Hashable], size: int, seed: int) -> Rows:
    """Return the rows of about `size` examples in whole groups, or of more if those are too few to learn from."""
    while size < len(labels):
        _, rows = hold_out(groups, size / len(labels), seed)
        several = len({groups[row] for row in rows}) > 1
        if several and len(rows) >= MINIMUM and not is_constant_series(labels[rows]):
            return rows
        size *= 2
    return np.arange(len(labels))


def standard_units(features: Floats) -> tuple[Inputs, Floats]:
    """Return the features that vary (with means, scales and ranges), and their standardised values."""
    # In floating point, differences of 1e-200 have a standard deviation of 0: such a feature counts as constant.
    columns = np.flatnonzero(~is_constant_series(features.T) & (features.std(0) > 0))
    varying = features[:, columns]
    seen = varying.mean(0), varying.std(0), varying.min(0), varying.max(0)
    inputs = Inputs(features.shape[1], columns, *seen)
    return inputs, inputs.apply(features)


def run_all(
    executor: Executor | None, function: Callable[..., Result], units: Iterable[tuple[Any, ...]]
) -> list[Result]:
    """Call a function with each unit of arguments, and return the results in order.

    With an executor, other processes must be able to import the function.
    """
    if executor is None:
        return [on_one_thread(function, *unit) for unit in units]
    tasks = [(function, *unit) for unit in units]
    return list(results_in_order(executor, on_one_thread, tasks, doing="learning", ahead=len(tasks)))


def on_one_thread(function: Callable[..., Result], *given: Any) -> Result:
    """Call a function with matrix products on one thread, and return its result.

    Products of this size gain nothing from more threads, which slow each other down if other processes use the cores.
    And the last bits of the result do not depend on the number of cores. threadpoolctl comes with scikit-learn.
    """
    with import_module("threadpoolctl").threadpool_limits(1, user_api="blas"):
        return function(*given)


def search_grid(
    squared_errors: Callable[..., Floats],
    grid: Sequence[tuple[Any, ...]],
    features: Floats,
    labels: Floats,
    groups: Rows,
    *,
    most: int | None = None,
    seed: int,
    executor: Executor | None,
) -> Floats:
    """Return the root mean squared error on held-out groups for each setting, shape (grid, m).

    squared_errors: a function of training features and labels, unseen features and labels, and an entry of the grid.
    It returns the sums of squared errors over the unseen examples for m settings. most: the number of examples to
    search on, about.
    """
    # Not scikit-learn's GridSearchCV: here the m settings share work (one kernel matrix, or one series of trees).
    rows = np.arange(len(labels)) if most is None else draw_some(labels, groups.tolist(), most, seed)
    features, labels = features[rows], labels[rows]
    splits = folds(groups[rows].tolist(), FOLDS, seed)
    units = (
        (features[train], labels[train], features[test], labels[test], *entry)
        for entry in grid
        for train, test in splits
    )
    sums = np.reshape(run_all(executor, squared_errors, units), (len(grid), len(splits), -1)).sum(1)
    result: Floats = np.sqrt(sums / len(labels))
    return result


def cross_predict(
    learner: Learner,
    features: ArrayLike,
    labels: ArrayLike,
    groups: Groups,
    settings: Settings,
    *,
    seed: int = SEED,
    executor: Executor | None = None,
) -> Floats:
    """Return for each example the prediction of a model that has not seen its group, shape (n,).

    The settings were chosen on all examples, which makes held-out predictions slightly too good. Choosing them again in
    every fold would take many times longer. The folds differ from those of `Learner.fit` with the same seed: there are
    ten, or five if there are more than 2,000 examples.
    """
    # Not scikit-learn's cross_val_predict, which cannot run in the caller's executor.
    values, targets, numbers = check_examples(features, labels, groups)
    splits = folds(numbers.tolist(), 2 * FOLDS if len(targets) <= SEARCHED else FOLDS, seed + 1)
    units = ((learner, settings, values[train], targets[train], values[test], seed) for train, test in splits)
    predictions = np.full(len(targets), np.nan)
    for (_, test), held_out in zip(splits, run_all(executor, fit_and_predict, units), strict=True):
        predictions[test] = held_out
    return predictions


def fit_and_predict(
    learner: Learner, settings: Settings, features: Floats, labels: Floats, unseen: Floats, seed: int
) -> Floats:
    """Train with given settings and return predictions for unseen examples."""
    return learner.fit_with(features, labels, settings, seed=seed).predict(unseen)

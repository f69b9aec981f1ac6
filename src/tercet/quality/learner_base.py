"""The base class of learners, and what they share: checks, standardisation, search by grouped cross-validation.

Learning has two steps. `choose` finds settings (a penalty, a number of components) on folds that never split a group.
`fit_with` trains with given settings. Folds are computed in an executor if there is one, and the results are collected
in order, so that the model is the same for any number of jobs.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import DataError, MissingDependency, UsageError
from ..stats.correlation import is_constant_series
from ..types import Floats
from ..workers import results_in_order
from .predictors import Inputs, LinearPredictor, Predictor, check_features
from .splits import SEED, Rows, Split, folds, hold_out, number_groups

if TYPE_CHECKING:
    from concurrent.futures import Executor

log = logging.getLogger(__name__)

MINIMUM = 20  # examples: five folds of four
FOLDS = 5
SEARCHED = 2000  # examples on which slow learners search their grids; more would hardly change the settings
Settings = Mapping[str, Any]  # plain values, for JSON
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class LabelledFeatures:
    """Examples that were checked (`check_examples`), with the seed and the executor for what is computed from them."""

    features: Floats  # (n, k)
    labels: Floats  # (n,)
    groups: Rows  # (n,): the number of each example's group
    seed: int = SEED
    executor: Executor | None = None

    def sample(self, size: int) -> LabelledFeatures:
        """Return about `size` of the examples in whole groups, or more if those are too few to learn from."""
        while size < len(self.labels):
            _, rows = hold_out(self.groups.tolist(), size / len(self.labels), self.seed)
            labels, groups = self.labels[rows], self.groups[rows]
            if (groups != groups[0]).any() and len(rows) >= MINIMUM and not is_constant_series(labels):
                return replace(self, features=self.features[rows], labels=labels, groups=groups)
            size *= 2
        return self

    def run_splits(
        self, function: Callable[..., Result], splits: Sequence[Split], grid: Sequence[tuple[Any, ...]] = ((),)
    ) -> list[Result]:
        """Call a function for each entry of the grid and each split, and return the results in this order.

        function: of training features and labels, unseen features and labels, and an entry of the grid.
        """
        units = (
            (self.features[train], self.labels[train], self.features[test], self.labels[test], *entry)
            for entry in grid
            for train, test in splits
        )
        return run_all(self.executor, function, units)

    def predict_held_out(self, learner: Learner, settings: Settings, splits: Sequence[Split]) -> list[Floats]:
        """Return the predictions for the test part of each split by a model of its training part."""
        return self.run_splits(fit_and_predict, splits, [(learner, settings, self.seed)])

    def search_grid(self, squared_errors: Callable[..., Floats], grid: Sequence[tuple[Any, ...]]) -> Floats:
        """Return the root mean squared error on held-out groups for each setting, shape (grid, m).

        squared_errors: a function as in `run_splits`. It returns the sums of squared errors over the unseen examples
        for m settings.
        """
        # Not scikit-learn's GridSearchCV: here the m settings share work (one kernel matrix, or one series of trees).
        splits = folds(self.groups.tolist(), FOLDS, self.seed)
        sums = np.reshape(self.run_splits(squared_errors, splits, grid), (len(grid), len(splits), -1)).sum(1)
        result: Floats = np.sqrt(sums / len(self.labels))
        return result


class Learner(ABC):
    """A learning algorithm. Instances are frozen dataclasses and hold no data."""

    reads_features: ClassVar[bool] = True
    needs: ClassVar[Mapping[str, type]] = {}  # the settings of `fit_with`, which are positive numbers

    @property
    @abstractmethod
    def name(self) -> str:
        """The name for `tercet.quality.learners.create`."""

    def choose(self, data: LabelledFeatures) -> Settings:
        """Return settings chosen by cross-validation; by default there are none."""
        return {}

    @abstractmethod
    def fit_units(self, inputs: Inputs, units: Floats, labels: Floats, settings: Settings, seed: int) -> Predictor:
        """Return a predictor trained on standardised features, shape (n, k) with k > 0."""

    def fit_with(self, features: Floats, labels: Floats, settings: Settings, *, seed: int) -> Predictor:
        """Return a predictor trained with given settings; `features` has shape (n, k), `labels` (n,)."""
        inputs, units = standard_units(features)
        if not units.shape[1]:  # no feature varies in this fold
            return LinearPredictor(inputs, np.empty(0), float(labels.mean()))
        return self.fit_units(inputs, units, labels, settings, seed)

    def fit(self, data: LabelledFeatures) -> Predictor:
        """Choose settings and return a trained predictor."""
        constant = np.flatnonzero(is_constant_series(data.features.T)).tolist()
        if self.reads_features and len(constant) == data.features.shape[1]:
            raise DataError(
                f"All {len(constant)} features are the same for all examples: there is nothing to learn from."
            )
        settings = self.choose(data)
        if constant and self.reads_features:
            places = ", ".join(str(column + 1) for column in constant)
            log.warning("Features that are the same for all examples are left out: number %s.", places)
        training = {
            "learner": self.name,
            "settings": dict(settings),
            "examples": len(data.labels),
            "groups": int(data.groups.max()) + 1,
            "constant": constant,
            "seed": data.seed,
        }
        fit = partial(self.fit_with, data.features, data.labels, settings, seed=data.seed)
        return replace(on_one_thread(fit), training=training)


def check_examples(
    features: ArrayLike,
    labels: ArrayLike,
    groups: Sequence[Hashable] | None = None,
    *,
    seed: int = SEED,
    executor: Executor | None = None,
) -> LabelledFeatures:
    """Return features (n, k) and labels (n,) to learn from, or raise an error if nothing can be learnt from them.

    groups: the group of each example, such as its source sentence. Groups are not split. Without groups, each example
    is its own group.
    """
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
    return LabelledFeatures(values, targets, numbers, seed, executor)


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


def on_one_thread(function: Callable[..., Result], *given: object) -> Result:
    """Call a function with matrix products on one thread, and return its result.

    Products of this size gain nothing from more threads, which slow each other down if other processes use the cores.
    And the last bits of the result do not depend on the number of cores. threadpoolctl comes with scikit-learn.
    """
    try:
        limits = import_module("threadpoolctl").threadpool_limits
    except ImportError:
        raise MissingDependency("Training a model", "qe") from None
    with limits(1, user_api="blas"):
        return function(*given)


def cross_predict(learner: Learner, settings: Settings, data: LabelledFeatures) -> Floats:
    """Return for each example the prediction of a model that has not seen its group, shape (n,).

    The settings were chosen on all examples, which makes held-out predictions slightly too good. Choosing them again in
    every fold would take many times longer. The folds differ from those of `Learner.fit` with the same seed: there are
    ten, or five if there are more than 2,000 examples.
    """
    # Not scikit-learn's cross_val_predict, which cannot run in the caller's executor.
    splits = folds(data.groups.tolist(), 2 * FOLDS if len(data.labels) <= SEARCHED else FOLDS, data.seed + 1)
    predictions = np.full(len(data.labels), np.nan)
    for (_, test), held_out in zip(splits, data.predict_held_out(learner, settings, splits), strict=True):
        predictions[test] = held_out
    return predictions


def fit_and_predict(
    features: Floats, labels: Floats, unseen: Floats, _: Floats, learner: Learner, settings: Settings, seed: int
) -> Floats:
    """Train with given settings and return predictions for unseen examples, whose labels are not read."""
    return learner.fit_with(features, labels, settings, seed=seed).predict(unseen)

"""The base class of learners, and what they reach on held-out groups.

Learning has two steps. `choose` finds settings (a penalty, a number of components) on folds that never split a group.
`fit_with` trains with given settings. Folds are computed in an executor if there is one, and the results are collected
in order, so that the model is the same for any number of jobs.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..errors import DataError
from ..stats.correlation import is_constant_series, pearson
from ..types import Floats
from .examples import FOLDS, Examples, Split, folds, on_one_thread, standard_units
from .predictors import Inputs, LinearPredictor, Predictor

log = logging.getLogger(__name__)

SEARCHED = 2000  # examples on which slow learners search their grids; more would hardly change the settings
Settings = Mapping[str, Any]  # plain values, for JSON


class Learner(ABC):
    """A learning algorithm. Instances are frozen dataclasses and hold no data.

    learns_from: labels, pairs, or either (labels if there are any). needs: the settings of `fit_with`, which are
    positive numbers. grid: for metrics, the settings that are tried on held-out language pairs, by the number that is
    reported.
    """

    reads_features: ClassVar[bool] = True
    learns_from: ClassVar[str] = "labels"
    needs: ClassVar[Mapping[str, type]] = {}
    grid: ClassVar[Mapping[float, Settings]] = {}

    @property
    @abstractmethod
    def name(self) -> str:
        """The name for `tercet.learning.learners.create`."""

    def choose(self, data: Examples) -> Settings:
        """Return settings chosen by cross-validation; by default there are none."""
        return {}

    @abstractmethod
    def fit_units(self, inputs: Inputs, units: Floats, data: Examples, settings: Settings) -> Predictor:
        """Return a predictor trained on standardised features, shape (n, k) with k > 0."""

    def fit_with(self, data: Examples, settings: Settings) -> Predictor:
        inputs, units = standard_units(data.features)
        if not units.shape[1]:  # no feature varies in this fold
            known = data.labels[~np.isnan(data.labels)]
            return LinearPredictor(inputs, np.empty(0), float(known.mean()) if len(known) else 0.0)
        return self.fit_units(inputs, units, data, settings)

    def fit(self, data: Examples) -> Predictor:
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
        return replace(on_one_thread(self.fit_with, data, settings), training=training)


def predict_held_out(learner: Learner, settings: Settings, data: Examples, splits: Sequence[Split]) -> list[Floats]:
    """Return the predictions for the test part of each split by a model of its training part."""
    return data.run_splits(fit_and_predict, splits, [(learner, settings)])


def fit_and_predict(data: Examples, unseen: Examples, learner: Learner, settings: Settings) -> Floats:
    """Train with given settings and return predictions for unseen examples, whose labels are not read."""
    return learner.fit_with(data, settings).predict(unseen.features)


def cross_predict(learner: Learner, settings: Settings, data: Examples) -> Floats:
    """Return for each example the prediction of a model that has not seen its group, shape (n,).

    The settings were chosen on all examples, which makes held-out predictions slightly too good. Choosing them again in
    every fold would take many times longer. The folds differ from those of `Learner.fit` with the same seed: there are
    ten, or five if there are more than 2,000 examples.
    """
    # Not scikit-learn's cross_val_predict, which cannot run in the caller's executor.
    splits = folds(data.groups.tolist(), 2 * FOLDS if len(data.labels) <= SEARCHED else FOLDS, data.seed + 1)
    predictions = np.full(len(data.labels), np.nan)
    for (_, test), held_out in zip(splits, predict_held_out(learner, settings, data, splits), strict=True):
        predictions[test] = held_out
    return predictions


class CrossFitted(NamedTuple):
    """A predictor trained on all examples, and for each example the prediction of one that has not seen its group."""

    predictor: Predictor
    held_out: Floats


def cross_fit(learner: Learner, data: Examples) -> CrossFitted:
    """Train on all examples, and predict each group (`cross_predict`); `training` has figures as "held_out"."""
    predictor = learner.fit(data)
    held_out = cross_predict(learner, predictor.training["settings"], data)
    training = {**predictor.training, "held_out": describe(data.labels, held_out)}
    return CrossFitted(replace(predictor, training=training), held_out)


def describe(labels: Floats, predictions: Floats) -> dict[str, float | None]:
    """Return errors and correlation without intervals; an undefined correlation is None, for JSON."""
    errors = predictions - labels
    r = float(pearson(labels, predictions))
    return {
        "rmse": float(np.sqrt(np.mean(errors**2))),
        "mae": float(np.mean(np.abs(errors))),
        "pearson": None if np.isnan(r) else r,
    }

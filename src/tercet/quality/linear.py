"""Linear learners: the mean, one feature, and ridge regression.

The first two are baselines: a model that is no better than the length of the sentence has learnt nothing else. Ridge
regression: Hoerl and Kennard (1970), "Ridge Regression: Biased Estimation for Nonorthogonal Problems".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..types import Floats
from .learner_base import LabelledFeatures, Learner, Settings, standard_units
from .predictors import Inputs, LinearPredictor, Predictor

ALPHAS = tuple(float(alpha) for alpha in np.logspace(-5, 2, 22))  # penalties per example


@dataclass(frozen=True)
class Mean(Learner):
    """A baseline that predicts the mean label and ignores the features."""

    name = "mean"
    reads_features: ClassVar[bool] = False

    def fit_units(self, inputs: Inputs, units: Floats, labels: Floats, settings: Settings, seed: int) -> Predictor:
        return LinearPredictor(inputs.only(np.arange(0)), np.empty(0), float(labels.mean()))


@dataclass(frozen=True)
class OneFeature(Learner):
    """Linear regression on one feature.

    column: its place among the features, from 0. label: its name.
    """

    column: int
    label: str = ""

    @property
    def name(self) -> str:
        return f"linear:{self.label or self.column}"

    def fit_units(self, inputs: Inputs, units: Floats, labels: Floats, settings: Settings, seed: int) -> Predictor:
        place = np.flatnonzero(inputs.columns == self.column)  # empty if the feature is constant
        slope = units[:, place].T @ (labels - labels.mean()) / len(labels)
        return LinearPredictor(inputs.only(place), slope, float(labels.mean()))


@dataclass(frozen=True)
class Ridge(Learner):
    """Ridge regression on standardised features. The penalty per example, alpha, is chosen by cross-validation."""

    name = "ridge"
    needs: ClassVar[Mapping[str, type]] = {"alpha": float}

    def choose(self, data: LabelledFeatures) -> Settings:
        (errors,) = data.search_grid(_squared_errors, [()])
        best = int(errors.argmin())
        return {"alpha": ALPHAS[best], "rmse": float(errors[best])}

    def fit_units(self, inputs: Inputs, units: Floats, labels: Floats, settings: Settings, seed: int) -> Predictor:
        coefficients = ridge_coefficients(units, labels - labels.mean(), [settings["alpha"]])[0]
        return LinearPredictor(inputs, coefficients, float(labels.mean()))


def ridge_coefficients(units: Floats, centred: Floats, alphas: list[float]) -> Floats:
    """Return the coefficients for each penalty, shape (alphas, k); `units` has shape (n, k), its columns mean 0."""
    # One decomposition serves all penalties; scikit-learn's RidgeCV with grouped folds decomposes again for each.
    left, sizes, right = np.linalg.svd(units, full_matrices=False)
    penalties = len(units) * np.array(alphas)[:, np.newaxis]
    shrunk = sizes / (sizes**2 + penalties)
    result: Floats = (shrunk * (left.T @ centred)) @ right
    return result


def _squared_errors(features: Floats, labels: Floats, unseen: Floats, wanted: Floats) -> Floats:
    """Return the sum of squared errors over unseen examples for each of `ALPHAS`."""
    inputs, units = standard_units(features)
    coefficients = ridge_coefficients(units, labels - labels.mean(), list(ALPHAS))
    predictions = inputs.apply(unseen) @ coefficients.T + labels.mean()
    result: Floats = ((predictions - wanted[:, np.newaxis]) ** 2).sum(0)
    return result

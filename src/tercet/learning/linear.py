"""Linear learners: the mean, one feature, ridge regression, and logistic regression on pairs.

The first two are baselines: a model that is no better than the length of the sentence has learnt nothing else. Ridge
regression: Hoerl and Kennard (1970), "Ridge Regression: Biased Estimation for Nonorthogonal Problems".

Logistic regression: Fomicheva (2017), section 5.1.1. The examples are the differences of features, x_good - x_bad, and
their mirrors. With both there is no intercept, and the mirrors change nothing else: log(1 + exp(-w x)) is the same for
both. The penalty is the squared length of the weights of standardised features, per example. Solved by Newton's method,
whose result does not depend on the order of work; a few steps suffice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..types import Floats
from .examples import Examples, standard_units
from .fitting import Learner, Settings
from .predictors import Inputs, LinearPredictor, Predictor

ALPHAS = tuple(float(alpha) for alpha in np.logspace(-5, 2, 22))  # penalties per example
PENALTIES = (1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)  # those tried for metrics
STEPS = 50  # of Newton's method
CLOSE = 1e-10  # the gain below which a step ends the search
CHUNK = 20_000  # examples whose weighted squares are in memory at once


@dataclass(frozen=True)
class Mean(Learner):
    """A baseline that predicts the mean label and ignores the features."""

    name = "mean"
    reads_features: ClassVar[bool] = False

    def fit_units(self, inputs: Inputs, units: Floats, data: Examples, settings: Settings) -> Predictor:
        return LinearPredictor(inputs.only(np.arange(0)), np.empty(0), float(data.labels.mean()))


@dataclass(frozen=True)
class OneFeature(Learner):
    """Linear regression on one feature. column: its place among the features, from 0. label: its name."""

    column: int
    label: str = ""

    @property
    def name(self) -> str:
        return f"linear:{self.label or self.column}"

    def fit_units(self, inputs: Inputs, units: Floats, data: Examples, settings: Settings) -> Predictor:
        place = np.flatnonzero(inputs.columns == self.column)  # empty if the feature is constant
        slope = units[:, place].T @ (data.labels - data.labels.mean()) / len(data.labels)
        return LinearPredictor(inputs.only(place), slope, float(data.labels.mean()))


@dataclass(frozen=True)
class Ridge(Learner):
    """Ridge regression on standardised features, of labels or else of differences of pairs. alpha: per example."""

    name = "ridge"
    learns_from: ClassVar[str] = "either"
    needs: ClassVar[Mapping[str, type]] = {"alpha": float}
    grid: ClassVar[Mapping[float, Settings]] = {alpha: {"alpha": alpha} for alpha in PENALTIES}

    def choose(self, data: Examples) -> Settings:
        (errors,) = data.search_grid(_squared_errors, [()])
        best = int(errors.argmin())
        return {"alpha": ALPHAS[best], "rmse": float(errors[best])}

    def fit_units(self, inputs: Inputs, units: Floats, data: Examples, settings: Settings) -> Predictor:
        known, middle = ~np.isnan(data.labels), 0.0
        root = None if data.weights is None else np.sqrt(data.weights[known if known.any() else data.better])
        if known.any():
            middle = float(np.average(data.labels[known], weights=None if root is None else root**2))
            rows, targets = units[known], data.labels[known] - middle
        else:
            rows, targets = units[data.better] - units[data.worse], np.ones(len(data.better))
        if root is not None:
            scale = root / np.sqrt(np.mean(root**2))
            rows, targets = rows * scale[:, np.newaxis], targets * scale
        return LinearPredictor(inputs, ridge_coefficients(rows, targets, [settings["alpha"]])[0], middle)


def ridge_coefficients(units: Floats, centred: Floats, alphas: list[float]) -> Floats:
    """Return the coefficients for each penalty, shape (alphas, k); `units` has shape (n, k), its columns mean 0."""
    # One decomposition serves all penalties; scikit-learn's RidgeCV with grouped folds decomposes again for each.
    left, sizes, right = np.linalg.svd(units, full_matrices=False)
    penalties = len(units) * np.array(alphas)[:, np.newaxis]
    shrunk = sizes / (sizes**2 + penalties)
    result: Floats = (shrunk * (left.T @ centred)) @ right
    return result


def _squared_errors(data: Examples, unseen: Examples) -> Floats:
    """Return the sum of squared errors over unseen examples for each of `ALPHAS`."""
    inputs, units = standard_units(data.features)
    middle = data.labels.mean()
    coefficients = ridge_coefficients(units, data.labels - middle, list(ALPHAS))
    predictions = inputs.apply(unseen.features) @ coefficients.T + middle
    result: Floats = ((predictions - unseen.labels[:, np.newaxis]) ** 2).sum(0)
    return result


@dataclass(frozen=True)
class Logistic(Learner):
    """Logistic regression on the differences of pairs; alpha is the penalty."""

    name = "logistic"
    learns_from: ClassVar[str] = "pairs"
    grid = Ridge.grid

    def fit_units(self, inputs: Inputs, units: Floats, data: Examples, settings: Settings) -> Predictor:
        weights = np.ones(len(data.better)) if data.weights is None else data.weights[data.better]
        coefficients = fit_logistic(units[data.better] - units[data.worse], weights, settings["alpha"])
        return LinearPredictor(inputs, coefficients, 0.0)


def fit_logistic(differences: Floats, weights: Floats, penalty: float) -> Floats:
    """Minimise the mean loss plus penalty / 2 times squared length. differences: better minus worse, (pairs, k)."""
    share = weights / weights.sum()

    def loss_of(coefficients: Floats) -> float:
        losses = np.logaddexp(0, -(differences @ coefficients))
        return float(share @ losses + penalty / 2 * coefficients @ coefficients)

    coefficients = np.zeros(differences.shape[1])
    loss = loss_of(coefficients)
    for _ in range(STEPS):
        margins = differences @ coefficients
        wrong = 1 / (1 + np.exp(np.clip(margins, -500, 500)))  # the probability of the other outcome
        gradient = penalty * coefficients - differences.T @ (share * wrong)
        curvature = penalty * np.eye(len(coefficients))
        bend = share * wrong * (1 - wrong)
        for first in range(0, len(differences), CHUNK):
            part = differences[first : first + CHUNK]
            curvature += part.T @ (bend[first : first + CHUNK, np.newaxis] * part)
        step, size = np.linalg.solve(curvature, gradient), 1.0
        while (new := loss_of(coefficients - size * step)) > loss and size >= 1e-6:
            size /= 2
        coefficients, gained, loss = coefficients - size * step, loss - new, new
        if gained < CLOSE:
            break
    return coefficients

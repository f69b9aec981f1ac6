"""Support vector regression with a Gaussian (RBF) kernel, the learner of the WMT quality estimation baselines.

Drucker et al. (1996), "Support Vector Regression Machines"; trained by scikit-learn's LIBSVM. Features and labels are
in standard units, so that one grid serves labels of any range: penalty C, width of the tube epsilon in standard
deviations of the label, and gamma as a multiple of 1 / number of features.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ..stats.resampling import Floats
from .linear import Mean
from .predictors import KernelPredictor, Predictor
from .selection import FOLDS, Learner, Settings, draw_searched, run_all, scikit_learn, standard_units
from .splits import Rows, folds

if TYPE_CHECKING:
    from concurrent.futures import Executor

COSTS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
GAMMAS = (0.0625, 0.125, 0.25, 0.5, 1.0)  # times 1 / number of features
EPSILONS = (0.1, 0.2, 0.4)


@dataclass(frozen=True)
class SVR(Learner):
    """Gaussian kernel; C, gamma and epsilon from a grid, by grouped cross-validation."""

    name = "svr"

    def choose(
        self, features: Floats, labels: Floats, groups: Rows, *, seed: int, executor: Executor | None
    ) -> Settings:
        scikit_learn("svm")  # missing: say so before any work
        features, labels, groups = draw_searched(features, labels, groups, seed)
        splits = folds(groups.tolist(), FOLDS, seed)
        units = (
            (features[train], labels[train], features[test], labels[test], gamma)
            for gamma, (train, test) in product(GAMMAS, splits)
        )
        errors = np.reshape(run_all(executor, _squared_errors, units), (len(GAMMAS), len(splits), -1)).sum(1)
        best = int(errors.argmin())
        gamma, (cost, epsilon) = best // errors.shape[1], list(product(COSTS, EPSILONS))[best % errors.shape[1]]
        return {
            "C": cost,
            "gamma": GAMMAS[gamma],
            "epsilon": epsilon,
            "rmse": float(np.sqrt(errors.flat[best] / len(labels))),
        }

    def fit_with(self, features: Floats, labels: Floats, settings: Settings, *, seed: int) -> Predictor:
        inputs, units = standard_units(features)
        if not units.shape[1]:  # of a fold, where no feature varies
            return Mean().fit_with(features, labels, settings, seed=seed)
        centre, spread = float(labels.mean()), float(labels.std()) or 1.0
        gamma = settings["gamma"] / units.shape[1]
        machine = scikit_learn("svm").SVR(C=settings["C"], gamma=gamma, epsilon=settings["epsilon"])
        machine.fit(units, (labels - centre) / spread)
        return KernelPredictor(
            inputs,
            np.ascontiguousarray(units[machine.support_]),
            spread * machine.dual_coef_[0],
            gamma,
            float(spread * machine.intercept_[0] + centre),
        )


def _squared_errors(features: Floats, labels: Floats, unseen: Floats, wanted: Floats, gamma: float) -> Floats:
    """Summed over unseen examples, for each pair of C and epsilon. Runs anywhere.

    All of them share one matrix of likenesses: with many features that is most of the work.
    """
    inputs, units = standard_units(features)
    centre, spread = labels.mean(), labels.std() or 1.0
    seen = _likeness(units, units, gamma)
    new = _likeness(inputs.apply(unseen), units, gamma)
    errors = []
    for cost, epsilon in product(COSTS, EPSILONS):
        machine = scikit_learn("svm").SVR(kernel="precomputed", C=cost, epsilon=epsilon)
        machine.fit(seen, (labels - centre) / spread)
        errors.append(((machine.predict(new) * spread + centre - wanted) ** 2).sum())
    return np.array(errors)


def _likeness(first: Floats, second: Floats, gamma: float) -> Floats:
    squares = (first**2).sum(1)[:, np.newaxis] + (second**2).sum(1) - 2 * first @ second.T
    result: Floats = np.exp(-gamma / max(first.shape[1], 1) * np.maximum(squares, 0))
    return result

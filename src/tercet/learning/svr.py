"""Support vector regression with a Gaussian (RBF) kernel, the learner of the WMT quality estimation baselines.

Drucker et al. (1996), "Support Vector Regression Machines"; trained by scikit-learn (LIBSVM). Features and labels are
standardised, so that one grid serves labels of any range: the penalty C, epsilon (in standard deviations of the label),
and gamma (as a multiple of 1 / number of features).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np

from ..types import Floats
from .examples import Examples, scikit_learn, standard_units
from .fitting import SEARCHED, Learner, Settings
from .predictors import Inputs, KernelPredictor, Predictor

COSTS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
GAMMAS = (0.0625, 0.125, 0.25, 0.5, 1.0)  # times 1 / number of features
EPSILONS = (0.1, 0.2, 0.4)


@dataclass(frozen=True)
class SVR(Learner):
    """Support vector regression; C, gamma and epsilon are chosen from a grid by grouped cross-validation."""

    name = "svr"
    needs: ClassVar[Mapping[str, type]] = {"C": float, "gamma": float, "epsilon": float}
    grid: ClassVar[Mapping[float, Settings]] = {
        cost: {"C": cost, "gamma": 0.25, "epsilon": 0.2} for cost in (0.5, 2.0, 8.0)
    }

    def choose(self, data: Examples) -> Settings:
        errors = data.sample(SEARCHED).search_grid(_squared_errors, [(gamma,) for gamma in GAMMAS])
        place, other = np.unravel_index(errors.argmin(), errors.shape)
        cost, epsilon = list(product(COSTS, EPSILONS))[other]
        return {"C": cost, "gamma": GAMMAS[place], "epsilon": epsilon, "rmse": float(errors[place, other])}

    def fit_units(self, inputs: Inputs, units: Floats, data: Examples, settings: Settings) -> Predictor:
        known = ~np.isnan(data.labels)
        rows, labels = units[known], data.labels[known]
        centre, spread = float(labels.mean()), float(labels.std()) or 1.0
        gamma = settings["gamma"] / units.shape[1]
        machine = scikit_learn("svm").SVR(C=settings["C"], gamma=gamma, epsilon=settings["epsilon"])
        machine.fit(rows, (labels - centre) / spread)
        weights, intercept = spread * machine.dual_coef_[0], float(spread * machine.intercept_[0] + centre)
        return KernelPredictor(inputs, np.ascontiguousarray(rows[machine.support_]), weights, gamma, intercept)


def _squared_errors(data: Examples, unseen: Examples, gamma: float) -> Floats:
    """Return the squared errors over unseen examples for each pair of C and epsilon, with one kernel matrix."""
    inputs, units = standard_units(data.features)
    centre, spread = data.labels.mean(), data.labels.std() or 1.0
    seen = _likeness(units, units, gamma)
    new = _likeness(inputs.apply(unseen.features), units, gamma)
    errors = []
    for cost, epsilon in product(COSTS, EPSILONS):
        machine = scikit_learn("svm").SVR(kernel="precomputed", C=cost, epsilon=epsilon)
        machine.fit(seen, (data.labels - centre) / spread)
        errors.append(((machine.predict(new) * spread + centre - unseen.labels) ** 2).sum())
    return np.array(errors)


def _likeness(first: Floats, second: Floats, gamma: float) -> Floats:
    squares = (first**2).sum(1)[:, np.newaxis] + (second**2).sum(1) - 2 * first @ second.T
    result: Floats = np.exp(-gamma / max(first.shape[1], 1) * np.maximum(squares, 0))
    return result

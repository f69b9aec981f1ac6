"""Support vector regression with a Gaussian (RBF) kernel, the learner of the WMT quality estimation baselines.

Drucker et al. (1996), "Support Vector Regression Machines"; trained by scikit-learn (LIBSVM). Features and labels are
standardised, so that one grid serves labels of any range: the penalty C, epsilon (in standard deviations of the label),
and gamma (as a multiple of 1 / number of features).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np

from ..types import Floats
from .learner_base import SEARCHED, LabelledFeatures, Learner, Settings, standard_units
from .predictors import Inputs, KernelPredictor, Predictor
from .splits import scikit_learn

COSTS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
GAMMAS = (0.0625, 0.125, 0.25, 0.5, 1.0)  # times 1 / number of features
EPSILONS = (0.1, 0.2, 0.4)


@dataclass(frozen=True)
class SVR(Learner):
    """Support vector regression; C, gamma and epsilon are chosen from a grid by grouped cross-validation."""

    name = "svr"
    needs: ClassVar[Mapping[str, type]] = {"C": float, "gamma": float, "epsilon": float}

    def choose(self, data: LabelledFeatures) -> Settings:
        errors = data.sample(SEARCHED).search_grid(_squared_errors, [(gamma,) for gamma in GAMMAS])
        place, other = np.unravel_index(errors.argmin(), errors.shape)
        cost, epsilon = list(product(COSTS, EPSILONS))[other]
        return {"C": cost, "gamma": GAMMAS[place], "epsilon": epsilon, "rmse": float(errors[place, other])}

    def fit_units(self, inputs: Inputs, units: Floats, labels: Floats, settings: Settings, seed: int) -> Predictor:
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
    """Return the sum of squared errors over unseen examples for each pair of C and epsilon.

    All pairs share one kernel matrix: with many features that is most of the work.
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

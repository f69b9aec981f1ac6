"""Gradient boosting of small regression trees.

Friedman (2001), "Greedy Function Approximation: A Gradient Boosting Machine", and (2002), "Stochastic Gradient
Boosting": each tree is trained on a random half of the examples and, at each split, on some of the features. Trained by
scikit-learn; its trees are exported to arrays of nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any, ClassVar

import numpy as np

from ..types import Floats
from .learner_base import SEARCHED, LabelledFeatures, Learner, Settings, standard_units
from .predictors import Inputs, Predictor, TreePredictor
from .splits import scikit_learn

DEPTHS = (2, 4)
RATE = 0.05
MOST_TREES = 400
STEP = 25  # the numbers of trees that are tried are multiples of this


@dataclass(frozen=True)
class GradientBoosting(Learner):
    """Gradient boosting; depth, learning rate and number of trees are chosen by grouped cross-validation."""

    name = "gbm"
    needs: ClassVar[Mapping[str, type]] = {"depth": int, "rate": float, "trees": int}

    def choose(self, data: LabelledFeatures) -> Settings:
        tried = [{"depth": depth, "rate": RATE, "trees": MOST_TREES} for depth in DEPTHS]
        grid = [(settings, data.seed) for settings in tried]
        errors = data.sample(SEARCHED).search_grid(_squared_errors, grid)
        place, step = np.unravel_index(errors.argmin(), errors.shape)
        return tried[place] | {"trees": STEP * (int(step) + 1), "rmse": float(errors[place, step])}

    def fit_units(self, inputs: Inputs, units: Floats, labels: Floats, settings: Settings, seed: int) -> Predictor:
        machine = boosted(units, labels, settings, seed)
        trees = [tree.tree_ for tree in machine.estimators_[:, 0]]
        values = [settings["rate"] * tree.value.ravel() for tree in trees]
        return join_trees(inputs, trees, values, float(labels.mean()))  # the initial prediction of boosting


def join_trees(inputs: Inputs, trees: Sequence[Any], values: Sequence[Floats], intercept: float) -> TreePredictor:
    """Return a predictor of scikit-learn's trees, with the value that each node adds if it is a leaf."""
    sizes = np.array([tree.node_count for tree in trees])
    roots = np.append(0, sizes.cumsum()[:-1]).astype(np.int64)
    own = np.arange(sizes.sum())
    begin = np.repeat(roots, sizes)

    def joined(name: str) -> Any:
        return np.concatenate([getattr(tree, name).ravel() for tree in trees])

    leaf = joined("children_left") < 0
    return TreePredictor(
        inputs,
        roots=roots,
        feature=np.where(leaf, 0, joined("feature")).astype(np.int64),
        threshold=np.where(leaf, 0.0, joined("threshold")).astype(np.float64),
        left=np.where(leaf, own, joined("children_left") + begin).astype(np.int64),
        right=np.where(leaf, own, joined("children_right") + begin).astype(np.int64),
        value=np.where(leaf, np.concatenate(values), 0.0).astype(np.float64),
        intercept=intercept,
    )


def boosted(units: Floats, labels: Floats, settings: Settings, seed: int) -> Any:
    """Train scikit-learn's regressor on standardised features."""
    width = units.shape[1]
    return (
        scikit_learn("ensemble")
        .GradientBoostingRegressor(
            n_estimators=settings["trees"],
            max_depth=settings["depth"],
            learning_rate=settings["rate"],
            subsample=0.5,
            max_features=min(width, ceil(2 * sqrt(width))),
            min_samples_leaf=5,
            random_state=seed % 2**32,  # scikit-learn takes no larger seed
        )
        .fit(units, labels)
    )


def _squared_errors(
    features: Floats, labels: Floats, unseen: Floats, wanted: Floats, settings: Settings, seed: int
) -> Floats:
    """Return the sum of squared errors over unseen examples after every `STEP` trees."""
    inputs, units = standard_units(features)
    if not units.shape[1]:
        return np.full(settings["trees"] // STEP, ((labels.mean() - wanted) ** 2).sum())
    stages = boosted(units, labels, settings, seed).staged_predict(inputs.apply(unseen))
    predictions = np.array([stage for place, stage in enumerate(stages, 1) if place % STEP == 0])
    result: Floats = ((predictions - wanted) ** 2).sum(1)
    return result

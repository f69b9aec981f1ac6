"""Boosted regression trees, for labels and for pairs. Trained by scikit-learn, and exported to arrays of nodes.

Labels: Friedman (2001), "Greedy Function Approximation: A Gradient Boosting Machine", and (2002), "Stochastic Gradient
Boosting": each tree is trained on a random half of the examples and, at each split, on some of the features.
Pairs: Burges (2010), "From RankNet to LambdaRank to LambdaMART"; each pair counts equally, as in Kendall's tau.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..types import Floats
from .examples import Examples, scikit_learn, standard_units
from .fitting import SEARCHED, Learner, Settings
from .predictors import Inputs, Predictor, TreePredictor

DEPTHS = (2, 4)
RATE = 0.05
MOST_TREES = 400
STEP = 25  # the numbers of trees that are tried are multiples of this
MOST_SEEDS = 2**32  # scikit-learn takes no larger seed


@dataclass(frozen=True)
class GradientBoosting(Learner):
    """Gradient boosting; depth, learning rate and number of trees are chosen by grouped cross-validation."""

    name = "gbm"
    needs: ClassVar[Mapping[str, type]] = {"depth": int, "rate": float, "trees": int}

    def choose(self, data: Examples) -> Settings:
        tried = [{"depth": depth, "rate": RATE, "trees": MOST_TREES} for depth in DEPTHS]
        errors = data.sample(SEARCHED).search_grid(_squared_errors, [(settings,) for settings in tried])
        place, step = np.unravel_index(errors.argmin(), errors.shape)
        return tried[place] | {"trees": STEP * (int(step) + 1), "rmse": float(errors[place, step])}

    def fit_units(self, inputs: Inputs, units: Floats, data: Examples, settings: Settings) -> Predictor:
        machine = boosted(units, data.labels, settings, data.seed)
        trees = [tree.tree_ for tree in machine.estimators_[:, 0]]
        values = [settings["rate"] * tree.value.ravel() for tree in trees]
        return join_trees(inputs, trees, values, float(data.labels.mean()))  # the initial prediction of boosting


def boosted(units: Floats, labels: Floats, settings: Settings, seed: int) -> Any:
    """Train scikit-learn's regressor on standardised features."""
    width = units.shape[1]
    machine = scikit_learn("ensemble").GradientBoostingRegressor(
        n_estimators=settings["trees"],
        max_depth=settings["depth"],
        learning_rate=settings["rate"],
        subsample=0.5,
        max_features=min(width, ceil(2 * sqrt(width))),
        min_samples_leaf=5,
        random_state=seed % MOST_SEEDS,
    )
    return machine.fit(units, labels)


def _squared_errors(data: Examples, unseen: Examples, settings: Settings) -> Floats:
    """Return the sum of squared errors over unseen examples after every `STEP` trees."""
    inputs, units = standard_units(data.features)
    if not units.shape[1]:
        return np.full(settings["trees"] // STEP, ((data.labels.mean() - unseen.labels) ** 2).sum())
    stages = boosted(units, data.labels, settings, data.seed).staged_predict(inputs.apply(unseen.features))
    predictions = np.array([stage for place, stage in enumerate(stages, 1) if place % STEP == 0])
    result: Floats = ((predictions - unseen.labels) ** 2).sum(1)
    return result


@dataclass(frozen=True)
class LambdaMART(Learner):
    """Boosted trees that order pairs; their number is chosen."""

    name = "lambdamart"
    learns_from: ClassVar[str] = "pairs"
    grid: ClassVar[Mapping[float, Settings]] = {float(trees): {"trees": trees} for trees in (50, 100, 200)}
    depth, rate, smallest = 4, 0.1, 50  # smallest: rows of a leaf, fewer if there are few rows

    def fit_units(self, inputs: Inputs, units: Floats, data: Examples, settings: Settings) -> Predictor:
        tree_class = scikit_learn("tree").DecisionTreeRegressor
        better, worse = data.better, data.worse
        weights = np.ones(len(better)) if data.weights is None else data.weights[better]
        share = weights / weights.mean()
        scores = np.zeros(len(units))
        trees, values = [], []
        for number in range(settings["trees"]):
            wrong = share / (1 + np.exp(scores[better] - scores[worse]))
            push = np.bincount(better, wrong, len(scores)) - np.bincount(worse, wrong, len(scores))
            bend = wrong * (1 - wrong / share)
            stiff = np.bincount(better, bend, len(scores)) + np.bincount(worse, bend, len(scores))
            machine = tree_class(
                max_depth=self.depth,
                min_samples_leaf=min(self.smallest, max(len(scores) // 20, 1)),
                max_features=0.5,
                random_state=(data.seed + number) % MOST_SEEDS,
            )
            machine.fit(units, push)
            leaf = machine.apply(units)
            size = machine.tree_.node_count
            step = np.bincount(leaf, push, size) / np.maximum(np.bincount(leaf, stiff, size), 1e-9)
            values.append(self.rate * step)
            trees.append(machine.tree_)
            scores += values[-1][leaf]
        return join_trees(inputs, trees, values, 0.0)


def join_trees(inputs: Inputs, trees: Sequence[Any], values: Sequence[Floats], intercept: float) -> TreePredictor:
    """Return a predictor of scikit-learn's trees, with the value that each node adds if it is a leaf."""
    sizes = np.array([tree.node_count for tree in trees])
    roots = np.append(0, sizes.cumsum()[:-1]).astype(np.int64)
    own = np.arange(sizes.sum())
    begin = np.repeat(roots, sizes)

    def joined(name: str) -> NDArray[Any]:
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

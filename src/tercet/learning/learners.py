"""Learners of metrics: from features of judged outputs to a predictor whose scores order them as people do.

logistic     pairs of outputs, logistic regression on their differences (Fomicheva 2017, section 5.1.1)
ridge        scores of outputs, or pairs if there are only rankings: least squares
lambdamart   pairs; boosted regression trees (Burges 2010, "From RankNet to LambdaRank to LambdaMART"); each pair counts
             equally, as in Kendall's tau
svr          scores of outputs; support vector regression (`quality.svr`)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import UnknownName, UsageError
from ..quality.linear import ridge_coefficients
from ..quality.predictors import Inputs, LinearPredictor, Predictor
from ..quality.splits import scikit_learn
from ..quality.svr import SVR
from ..quality.trees import join_trees
from ..types import Floats
from .examples import Rows
from .logistic import fit_logistic

PENALTIES = (1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)  # per example; of standardised features
TREES = (50, 100, 200)


@dataclass(frozen=True, eq=False)
class Material:
    """Standardised features of judged outputs, with pairs and scores of them.

    weight: of each pair; score_weight: of each row. scores: NaN where a row has none.
    """

    inputs: Inputs
    units: Floats  # (rows, k)
    better: Rows
    worse: Rows
    weight: Floats
    scores: Floats
    score_weight: Floats

    @property
    def differences(self) -> Floats:
        """Features of the better output minus those of the worse, of each pair."""
        result: Floats = self.units[self.better] - self.units[self.worse]
        return result


class MetricLearner(ABC):
    """A learner. settings: what is chosen by held-out language pairs."""

    name: ClassVar[str]
    settings: ClassVar[tuple[float, ...]] = (0.0,)
    needs: ClassVar[str] = "pairs"

    @abstractmethod
    def fit(self, material: Material, setting: float, seed: int) -> Predictor:
        """Return a predictor."""


class Logistic(MetricLearner):
    """Logistic regression on differences of features. setting: the penalty."""

    name = "logistic"
    settings = PENALTIES

    def fit(self, material: Material, setting: float, seed: int) -> Predictor:
        coefficients = fit_logistic(material.differences, material.weight, setting)
        return LinearPredictor(material.inputs, coefficients, 0.0)


class Ridge(MetricLearner):
    """Least squares. setting: the penalty."""

    name = "ridge"
    settings = PENALTIES
    needs = "either"

    def fit(self, material: Material, setting: float, seed: int) -> Predictor:
        known = ~np.isnan(material.scores)
        if known.any():
            root = np.sqrt(material.score_weight[known])
            middle = float(np.average(material.scores[known], weights=root**2))
            rows, labels = material.units[known], material.scores[known] - middle
        else:
            root, middle = np.sqrt(material.weight), 0.0
            rows, labels = material.differences, np.ones(len(material.better))
        scale = root / np.sqrt(np.mean(root**2))
        coefficients = ridge_coefficients(rows * scale[:, np.newaxis], labels * scale, [setting])[0]
        return LinearPredictor(material.inputs, coefficients, middle)


class SupportVectors(MetricLearner):
    """Support vector regression. setting: C."""

    name = "svr"
    settings = (0.5, 2.0, 8.0)  # C
    needs = "scores"

    def fit(self, material: Material, setting: float, seed: int) -> Predictor:
        known = ~np.isnan(material.scores)
        chosen = {"C": setting, "gamma": 0.25, "epsilon": 0.2}
        return SVR().fit_units(material.inputs, material.units[known], material.scores[known], chosen, seed)


class LambdaMART(MetricLearner):
    """Boosted trees. setting: their number."""

    name = "lambdamart"
    settings = tuple(map(float, TREES))
    depth, rate, smallest = 4, 0.1, 50  # smallest: rows of a leaf, fewer if there are few rows

    def fit(self, material: Material, setting: float, seed: int) -> Predictor:
        tree_class = scikit_learn("tree").DecisionTreeRegressor
        share = material.weight / material.weight.mean()
        scores = np.zeros(len(material.units))
        trees, values = [], []
        for number in range(int(setting)):
            wrong = share / (1 + np.exp(scores[material.better] - scores[material.worse]))
            push = np.bincount(material.better, wrong, len(scores)) - np.bincount(material.worse, wrong, len(scores))
            bend = wrong * (1 - wrong / share)
            stiff = np.bincount(material.better, bend, len(scores)) + np.bincount(material.worse, bend, len(scores))
            machine = tree_class(
                max_depth=self.depth,
                min_samples_leaf=min(self.smallest, max(len(scores) // 20, 1)),
                max_features=0.5,
                random_state=(seed + number) % 2**32,  # scikit-learn takes no larger seed
            )
            machine.fit(material.units, push)
            leaf = machine.apply(material.units)
            size = machine.tree_.node_count
            step = np.bincount(leaf, push, size) / np.maximum(np.bincount(leaf, stiff, size), 1e-9)
            values.append(self.rate * step)
            trees.append(machine.tree_)
            scores += values[-1][leaf]
        return join_trees(material.inputs, trees, values, 0.0)


LEARNERS: dict[str, MetricLearner] = {
    learner.name: learner for learner in (Logistic(), Ridge(), LambdaMART(), SupportVectors())
}


def find_learner(name: str) -> MetricLearner:
    """Return a learner by its name."""
    if name not in LEARNERS:
        raise UnknownName("learner", name, LEARNERS)
    return LEARNERS[name]


def check_material(learner: MetricLearner, pairs: int, scores: int) -> None:
    """Raise UsageError if there is nothing that the learner can learn from."""
    if learner.needs == "scores" and not scores:
        raise UsageError(f"{learner.name} learns from scores of outputs, and there are only rankings. Use logistic.")
    if learner.needs == "pairs" and not pairs:
        raise UsageError(
            f"{learner.name} learns from pairs of outputs, and there are none: no two outputs of a segment were judged "
            "differently enough. Use --learner ridge, a smaller --margin, or --across 10: pairs of different segments."
        )
    if not pairs and not scores:
        raise UsageError("There is nothing to learn from: no pairs of outputs, and no scores.")

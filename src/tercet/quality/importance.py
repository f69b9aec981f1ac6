"""The importance of features.

By permutation (Breiman 2001, "Random Forests", section 10; Fisher, Rudin and Dominici 2019, "All Models are Wrong, but
Many are Useful"): how much the error on held-out groups grows when the values of a feature are shuffled. Correlated
features share their importance: shuffling one of them changes little. And by partial least squares: the weight of each
feature in a model of all features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..types import Floats
from .learner_base import FOLDS, LabelledFeatures, Learner, Settings, on_one_thread, run_all, standard_units
from .pls import MOST_COMPONENTS, decompose, importance_in_projection
from .splits import folds


@dataclass(frozen=True)
class Importance:
    """The importance of one feature."""

    feature: str
    increase: float  # of the root mean squared error when it is shuffled; at or below 0: the feature does not help
    standard_error: float  # of the increase, over folds
    vip: float  # importance in partial least squares of all features; 1 is the average
    coefficient: float  # in the same model, in units of the label per standard deviation of the feature


def permutation_importance(
    learner: Learner, settings: Settings, data: LabelledFeatures, *, names: Sequence[str], repeats: int = 5
) -> tuple[Importance, ...]:
    """Return the importance of all features, the most important first. settings: those of `Predictor.training`."""
    values, targets, seed = data.features, data.labels, data.seed
    splits = folds(data.groups.tolist(), FOLDS, seed + 1)
    units = (
        (learner, settings, values[train], targets[train], values[test], targets[test], repeats, seed, place)
        for place, (train, test) in enumerate(splits)
    )
    increases = np.array(run_all(data.executor, _increases, units))  # (folds, features)
    errors = increases.std(0, ddof=1) / np.sqrt(len(splits))
    vip, coefficients = on_one_thread(pls_weights, values, targets)
    columns = zip(names, increases.mean(0), errors, vip, coefficients, strict=True)
    found = [Importance(name, *map(float, figures)) for name, *figures in columns]
    return tuple(sorted(found, key=lambda each: -each.increase))


def _increases(
    learner: Learner,
    settings: Settings,
    features: Floats,
    labels: Floats,
    unseen: Floats,
    wanted: Floats,
    repeats: int,
    seed: int,
    place: int,
) -> Floats:
    """Return how much the error on unseen examples grows when each feature is shuffled, as a mean over repeats."""
    # Not scikit-learn's permutation_importance: that shuffles all features, of which PLS uses a few, and wants `fit`.
    predictor = learner.fit_with(features, labels, settings, seed=seed)
    rng = np.random.default_rng([seed, place])
    orders = np.stack([rng.permutation(len(unseen)) for _ in range(repeats)])
    before = np.sqrt(np.mean((predictor.predict(unseen) - wanted) ** 2))
    increases = np.zeros(features.shape[1])  # 0 for features that the model does not use
    for column in predictor.inputs.columns:
        shuffled = np.tile(unseen, (repeats, 1))
        shuffled[:, column] = unseen[orders, column].ravel()
        errors = (predictor.predict(shuffled).reshape(repeats, -1) - wanted) ** 2
        increases[column] = np.sqrt(errors.mean(1)).mean() - before
    return increases


def pls_weights(features: Floats, labels: Floats, components: int = MOST_COMPONENTS) -> tuple[Floats, Floats]:
    """Return VIP and coefficient of each feature, shape (k,), in partial least squares of all features."""
    inputs, units = standard_units(features)
    found = decompose(units, labels - labels.mean(), components)
    vip, coefficients = np.zeros(inputs.width), np.zeros(inputs.width)
    if len(found.coefficients):
        vip[inputs.columns] = importance_in_projection(found)
        coefficients[inputs.columns] = found.coefficients[-1]
    return vip, coefficients

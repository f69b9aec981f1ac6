"""What a learner learns from: the importance of features, and learning curves.

Importance by permutation (Breiman 2001, "Random Forests", section 10; Fisher, Rudin and Dominici 2019, "All Models are
Wrong, but Many are Useful"): how much the error on held-out groups grows when the values of a feature are shuffled.
Correlated features share their importance: shuffling one of them changes little. And by partial least squares: the
weight of each feature in a model of all features. A learning curve is the error by the number of training examples.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import DataError
from ..stats.correlation import pearson
from ..types import Floats
from . import SEED
from .examples import FOLDS, MINIMUM, Examples, Rows, Split, folds, hold_out, on_one_thread, run_all, standard_units
from .fitting import Learner, Settings, predict_held_out
from .pls import MOST_COMPONENTS, decompose, importance_in_projection

FRACTIONS = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
HELD_OUT = 0.2  # of the groups


@dataclass(frozen=True)
class Importance:
    """The importance of one feature."""

    feature: str
    increase: float  # of the root mean squared error when it is shuffled; at or below 0: the feature does not help
    standard_error: float  # of the increase, over folds
    vip: float  # importance in partial least squares of all features; 1 is the average
    coefficient: float  # in the same model, in units of the label per standard deviation of the feature


def permutation_importance(
    learner: Learner, settings: Settings, data: Examples, *, names: Sequence[str], repeats: int = 5
) -> tuple[Importance, ...]:
    """Return the importance of all features, the most important first. settings: those of `Predictor.training`."""
    splits = folds(data.groups.tolist(), FOLDS, data.seed + 1)
    units = (
        (data.take(train), data.take(test), learner, settings, repeats, place)
        for place, (train, test) in enumerate(splits)
    )
    increases = np.array(run_all(data.executor, _increases, units))  # (folds, features)
    errors = increases.std(0, ddof=1) / np.sqrt(len(splits))
    vip, coefficients = on_one_thread(pls_weights, data.features, data.labels)
    columns = zip(names, increases.mean(0), errors, vip, coefficients, strict=True)
    found = [Importance(name, *map(float, figures)) for name, *figures in columns]
    return tuple(sorted(found, key=lambda each: -each.increase))


def _increases(
    data: Examples, unseen: Examples, learner: Learner, settings: Settings, repeats: int, place: int
) -> Floats:
    """Return how much the error on unseen examples grows when each feature is shuffled, as a mean over repeats."""
    # Not scikit-learn's permutation_importance: that shuffles all features, of which PLS uses a few, and wants `fit`.
    predictor, labels = learner.fit_with(data, settings), unseen.labels
    rng = np.random.default_rng([data.seed, place])
    orders = np.stack([rng.permutation(len(labels)) for _ in range(repeats)])
    before = np.sqrt(np.mean((predictor.predict(unseen.features) - labels) ** 2))
    increases = np.zeros(data.features.shape[1])  # 0 for features that the model does not use
    for column in predictor.inputs.columns:
        shuffled = np.tile(unseen.features, (repeats, 1))
        shuffled[:, column] = unseen.features[orders, column].ravel()
        errors = (predictor.predict(shuffled).reshape(repeats, -1) - labels) ** 2
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


@dataclass(frozen=True)
class CurvePoint:
    """A point of a learning curve: means and standard deviations over repeated splits; NaN where undefined."""

    examples: float  # mean number of training examples; it varies, because groups are not divided
    rmse: float
    rmse_spread: float
    pearson: float
    pearson_spread: float
    repeats: int


def learning_curve(
    learner: Learner, settings: Settings, data: Examples, *, fractions: Sequence[float] = FRACTIONS, repeats: int = 5
) -> tuple[CurvePoint, ...]:
    """Return a point for each fraction of training groups with enough examples; a fifth of the groups is held out."""
    # Not scikit-learn's learning_curve: that gives one score per fit, where RMSE and Pearson are needed, and does not
    # run in the caller's executor.
    points = curve_splits(data.groups, fractions, repeats=repeats, seed=data.seed)
    splits = [split for point in points for split in point]
    predictions = predict_held_out(learner, settings, data, splits)
    figures = np.array(
        [
            (np.sqrt(np.mean((found - data.labels[test]) ** 2)), pearson(data.labels[test], found))
            for (_, test), found in zip(splits, predictions, strict=True)
        ]
    ).reshape(len(points), repeats, 2)
    spread = figures.std(1, ddof=1) if repeats > 1 else np.full((len(points), 2), np.nan)
    sizes = [float(np.mean([len(train) for train, _ in point])) for point in points]
    return tuple(
        CurvePoint(size, float(mean[0]), float(sd[0]), float(mean[1]), float(sd[1]), repeats)
        for size, mean, sd in zip(sizes, figures.mean(1), spread, strict=True)
    )


def curve_splits(
    numbers: Rows, fractions: Sequence[float] = FRACTIONS, *, repeats: int = 5, seed: int = SEED
) -> list[list[Split]]:
    """Return the splits of each point, one per repeat, or raise DataError if every point has too few examples."""
    points: list[list[Split]] = []
    for fraction in sorted(set(fractions)):
        points.append([])
        for repeat in range(repeats):
            pool, test = hold_out(numbers.tolist(), HELD_OUT, seed + repeat)
            if fraction < 1:
                pool = pool[hold_out(numbers[pool].tolist(), fraction, seed + repeat)[1]]
            points[-1].append((pool, test))
    enough = [splits for splits in points if min(len(train) for train, _ in splits) >= MINIMUM]
    if not enough:
        raise DataError(
            f"{len(numbers)} examples are too few for a learning curve: a part is held out, and learning needs "
            f"{MINIMUM} or more of the others. Leave out the learning curve, or give more examples."
        )
    return enough

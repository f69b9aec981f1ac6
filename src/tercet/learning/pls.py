"""Partial least squares, with the number of components and the features chosen by cross-validation.

Wold et al. (1984), "The Collinearity Problem in Linear Regression. The Partial Least Squares (PLS) Approach to
Generalized Inverses"; for quality estimation Specia et al. (2009), "Estimating the Sentence-Level Quality of Machine
Translation Systems", and Specia, Cancedda and Dymetman (2010), "A Dataset for Assessing Machine Translation Evaluation
Metrics", select features with it: a model of all features orders them, and the first one, two, three, ... are tried on
held-out examples. Coefficients equal those of scikit-learn's PLSRegression.

The details are ours. The order is by variable importance in the projection (VIP). It is determined in each fold on the
training part alone, because an order that depends on the held-out examples makes them look easier than new ones. Of all
numbers of features and components, the smallest is chosen whose error exceeds the lowest one by at most one standard
error of their difference over the folds (Breiman et al. 1984, "Classification and Regression Trees", section 3.4.3, for
pairs).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..types import Floats
from .examples import Examples, folds, standard_units
from .fitting import Learner, Settings
from .predictors import Inputs, Integers, LinearPredictor, Predictor

MOST_COMPONENTS = 15
FOLDS = 10  # more than other learners: models are cheap, and folds give the standard error
_NOISE = 1e-10  # times the first component's covariance with the label: smaller ones are rounding error


class Components(NamedTuple):
    """Partial least squares of one label. There are fewer components than requested if nothing is left to explain."""

    weights: Floats  # (components, k): directions in the space of features, of length 1
    explained: Floats  # (components,): the part of the label's sum of squares that each explains
    coefficients: Floats  # (components, k): of the models with 1, 2, ... components, for standardised features


def decompose(units: Floats, centred: Floats, components: int) -> Components:
    """Decompose features, shape (n, k), and labels (n,), both with mean 0, by PLS1 (NIPALS)."""
    # Not scikit-learn's PLSRegression: if features are collinear, its last components are rounding error, and huge.
    rest, label = units.copy(), centred.copy()
    found: list[tuple[Floats, float, Floats]] = []  # of `Components`
    turns: list[tuple[Floats, Floats]] = []  # loading and rotation
    first, total = 0.0, np.zeros(units.shape[1])
    for _ in range(components):
        direction = rest.T @ label
        size = float(np.linalg.norm(direction))
        first = first or size
        if size <= _NOISE * first:
            break
        direction /= size
        scores = rest @ direction
        length = scores @ scores
        loading = rest.T @ scores / length
        slope = label @ scores / length
        rotation = direction.copy()
        for before, turned in turns:
            rotation -= (before @ direction) * turned
        total = total + slope * rotation
        rest -= np.outer(scores, loading)
        label -= slope * scores
        turns.append((loading, rotation))
        found.append((direction, float(slope**2 * length), total))
    weights, explained, coefficients = zip(*found, strict=True) if found else ((), (), ())
    shape = (len(found), units.shape[1])
    return Components(np.reshape(weights, shape), np.array(explained), np.reshape(coefficients, shape))


def importance_in_projection(components: Components) -> Floats:
    """Return the VIP (Wold, Johansson and Cocchi 1993) of each feature; the mean square is 1."""
    total = components.explained.sum()
    if not total:
        return np.zeros(components.weights.shape[1])
    shares = components.explained / total
    result: Floats = np.sqrt(components.weights.shape[1] * (shares @ components.weights**2))
    return result


@dataclass(frozen=True)
class PLS(Learner):
    """Partial least squares; the number of components, up to 15, and of features is chosen by cross-validation."""

    name = "pls"
    needs: ClassVar[Mapping[str, type]] = {"features": int, "components": int}

    def choose(self, data: Examples) -> Settings:
        inputs, _ = standard_units(data.features)
        sizes = set_sizes(len(inputs.columns))
        splits = folds(data.groups.tolist(), FOLDS, data.seed)
        errors = np.array(data.run_splits(_mean_squared_errors, splits, [(sizes,)]))  # (folds, sizes, components)
        means = errors.mean(0)
        excess = errors - errors[(slice(None), *np.unravel_index(means.argmin(), means.shape))][:, None, None]
        allowed = excess.std(0, ddof=1) / np.sqrt(len(errors))
        place, count = np.argwhere(excess.mean(0) <= allowed)[0].tolist()  # the smallest size, then the fewest
        rmse = float(np.sqrt(np.mean(errors[:, place, count])))
        return {"features": sizes[place], "components": count + 1, "rmse": rmse}

    def fit_units(self, inputs: Inputs, units: Floats, data: Examples, settings: Settings) -> Predictor:
        middle = data.labels.mean()
        chosen = np.sort(feature_order(units, data.labels - middle)[: settings["features"]])
        found = decompose(units[:, chosen], data.labels - middle, settings["components"])
        coefficients = found.coefficients[-1] if len(found.coefficients) else np.zeros(len(chosen))
        return LinearPredictor(inputs.only(chosen), coefficients, float(middle))


def feature_order(units: Floats, centred: Floats) -> Integers:
    """Return the features from the most to the least important in a model of all features."""
    found = decompose(units, centred, MOST_COMPONENTS)
    return np.argsort(-importance_in_projection(found), kind="stable")


def set_sizes(width: int) -> list[int]:
    """Return the numbers of features to try: each number up to 100, then steps of a tenth, and all features."""
    sizes = list(range(1, min(width, 100) + 1))
    while sizes and sizes[-1] < width:
        sizes.append(min(width, sizes[-1] + sizes[-1] // 10))
    return sizes or [0]


def _mean_squared_errors(data: Examples, unseen: Examples, sizes: list[int]) -> Floats:
    """Return the mean squared error on unseen examples by number of features and components."""
    inputs, units = standard_units(data.features)
    centred, new = data.labels - data.labels.mean(), inputs.apply(unseen.features)
    target = unseen.labels - data.labels.mean()
    order = feature_order(units, centred)
    if len(units) > units.shape[1]:
        # Partial least squares depends only on the products of features and labels, which a rotation of the examples
        # does not change: k rows are enough instead of n.
        rotation, units = np.linalg.qr(units)
        centred = rotation.T @ centred
    errors = np.full((len(sizes), MOST_COMPONENTS), np.mean(target**2))
    for place, size in enumerate(sizes):
        chosen = order[:size]
        path = decompose(units[:, chosen], centred, MOST_COMPONENTS).coefficients
        if len(path):
            found = np.mean((new[:, chosen] @ path.T - target[:, np.newaxis]) ** 2, axis=0)
            errors[place] = found[np.minimum(np.arange(MOST_COMPONENTS), len(path) - 1)]
    return errors

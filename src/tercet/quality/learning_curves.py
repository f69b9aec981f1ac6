"""Learning curves: the error on held-out groups as a function of the number of training examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import DataError
from ..stats.correlation import pearson
from .learner_base import MINIMUM, LabelledFeatures, Learner, Settings
from .splits import SEED, Rows, Split, hold_out

FRACTIONS = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
HELD_OUT = 0.2  # of the groups


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
    learner: Learner,
    settings: Settings,
    data: LabelledFeatures,
    *,
    fractions: Sequence[float] = FRACTIONS,
    repeats: int = 5,
) -> tuple[CurvePoint, ...]:
    """Return one point for each fraction of the training groups that has enough examples, in ascending order.

    In each repeat, a fifth of the groups test models that are trained on more and more of the others. settings: of the
    learner (`Predictor.training`), the same for all points.
    """
    # Not scikit-learn's learning_curve: that gives one score per fit, where RMSE and Pearson are needed, and does not
    # run in the caller's executor.
    points = curve_splits(data.groups, fractions, repeats=repeats, seed=data.seed)
    splits = [split for point in points for split in point]
    predictions = data.predict_held_out(learner, settings, splits)
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
    points = [
        [_split(numbers, fraction, seed + repeat) for repeat in range(repeats)] for fraction in sorted(set(fractions))
    ]
    enough = [splits for splits in points if min(len(train) for train, _ in splits) >= MINIMUM]
    if not enough:
        raise DataError(
            f"{len(numbers)} examples are too few for a learning curve: a part is held out, and learning needs "
            f"{MINIMUM} or more of the others. Leave out the learning curve, or give more examples."
        )
    return enough


def _split(numbers: Rows, fraction: float, seed: int) -> Split:
    pool, test = hold_out(numbers.tolist(), HELD_OUT, seed)
    if fraction < 1:
        pool = pool[hold_out(numbers[pool].tolist(), fraction, seed)[1]]
    return pool, test

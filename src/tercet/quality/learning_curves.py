"""How much more examples would help: the error on held-out groups, by the number of training examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..errors import DataError, UsageError
from ..stats.correlation import pearson
from ..stats.resampling import Floats
from .learner_base import MINIMUM, Groups, Learner, Settings, check_examples, run_all
from .splits import SEED, Rows, Split, draw_groups, hold_out

if TYPE_CHECKING:
    from concurrent.futures import Executor

FRACTIONS = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class CurvePoint:
    """Means over repeated splits, and standard deviations; NaN where undefined."""

    examples: float  # in training, on average: groups are not divided
    rmse: float
    rmse_spread: float
    pearson: float
    pearson_spread: float
    repeats: int


def learning_curve(
    learner: Learner,
    features: ArrayLike,
    labels: ArrayLike,
    groups: Groups = None,
    *,
    fractions: Sequence[float] = FRACTIONS,
    settings: Settings | None = None,
    repeats: int = 5,
    held_out: float = 0.2,
    seed: int = SEED,
    executor: Executor | None = None,
) -> tuple[CurvePoint, ...]:
    """One point for each fraction of the training groups that leaves enough examples, in ascending order.

    In each repeat the share `held_out` of the examples, in whole groups, tests models trained on more and more of the
    rest. settings: of the learner (`Predictor.training`); None: chosen anew for every point, which takes its time.
    """
    values, targets, numbers = check_examples(features, labels, groups)
    if repeats < 1 or not fractions or not all(0 < fraction <= 1 for fraction in fractions):
        raise UsageError(f"Learning curves need repeats ({repeats}) and fractions between 0 and 1 ({fractions}).")
    drawn = curve_splits(numbers, fractions, repeats=repeats, held_out=held_out, seed=seed)
    units = [
        (learner, settings, values[train], targets[train], numbers[train].tolist(), values[test], targets[test], seed)
        for splits in drawn
        for train, test in splits
    ]
    sizes = [float(np.mean([len(train) for train, _ in splits])) for splits in drawn]
    found = np.reshape(run_all(executor, _figures, units), (len(sizes), repeats, 2))
    spread = found.std(1, ddof=1) if repeats > 1 else np.full((len(sizes), 2), np.nan)
    means = found.mean(1)
    return tuple(
        CurvePoint(size, float(mean[0]), float(sd[0]), float(mean[1]), float(sd[1]), repeats)
        for size, mean, sd in zip(sizes, means, spread, strict=True)
    )


def curve_splits(
    numbers: Rows,
    fractions: Sequence[float] = FRACTIONS,
    *,
    repeats: int = 5,
    held_out: float = 0.2,
    seed: int = SEED,
) -> list[list[Split]]:
    """The splits of each point, one for each repeat; refuses examples that are too few for any point."""
    drawn = [
        [_rows(numbers, fraction, held_out, seed + repeat) for repeat in range(repeats)]
        for fraction in sorted(set(fractions))
    ]
    enough = [splits for splits in drawn if min(len(train) for train, _ in splits) >= MINIMUM]
    if not enough:
        raise DataError(
            f"With {len(numbers)} examples every fraction has fewer than the {MINIMUM} that learning needs, for a part "
            "is held out. Leave out the learning curve, or give more examples."
        )
    return enough


def _rows(numbers: Rows, fraction: float, held_out: float, seed: int) -> Split:
    pool, test = hold_out(numbers.tolist(), held_out, seed)
    if fraction < 1:
        pool = pool[draw_groups(numbers[pool].tolist(), round(fraction * len(pool)), seed)]
    return pool, test


def _figures(
    learner: Learner,
    settings: Settings | None,
    features: Floats,
    labels: Floats,
    groups: list[int],
    unseen: Floats,
    wanted: Floats,
    seed: int,
) -> tuple[float, float]:
    """Root mean squared error and correlation on unseen examples. Runs anywhere."""
    if settings is None:
        predictor = learner.fit(features, labels, groups, seed=seed)
    else:
        predictor = learner.fit_with(features, labels, settings, seed=seed)
    predictions = predictor.predict(unseen)
    return float(np.sqrt(np.mean((predictions - wanted) ** 2))), float(pearson(wanted, predictions))

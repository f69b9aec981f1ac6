"""Confidence intervals of a corpus score by the bootstrap over segments.

Efron and Tibshirani (1993), "An Introduction to the Bootstrap", chapters 13 (percentile) and 14 (BCa);
Efron (1987), "Better Bootstrap Confidence Intervals", JASA; for MT: Koehn (2004), "Statistical Significance Tests for
Machine Translation Evaluation", EMNLP.
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ..errors import UnknownName
from ..types import Floats
from .resampling import (
    SEED,
    TOLERANCE,
    Columns,
    Score,
    batch_rows,
    check_cube,
    check_draws,
    check_share,
    evaluate,
    exact_columns,
    resampled_scores,
    system_scores,
)

METHODS = ("bca", "percentile")
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Interval:
    """A score and its confidence interval. Bounds are NaN where they are undefined."""

    value: float
    low: float
    high: float
    mean: float  # of the resampled scores
    standard_error: float  # their standard deviation
    confidence: float
    method: str
    resamples: int
    seed: int
    n: int  # segments

    @property
    def half_width(self) -> float:
        """Half the width of the interval, which tables print after ±."""
        return (self.high - self.low) / 2


class IntervalOptions(TypedDict, total=False):
    """The options of `bootstrap`, with the defaults of `bootstrap_all`."""

    resamples: int
    confidence: float
    method: str
    seed: int


def bootstrap(score: Score, counts: ArrayLike, **options: Unpack[IntervalOptions]) -> Interval:
    """Return the interval of one system's score, counts (segments, k); options are as in `bootstrap_all`."""
    return bootstrap_all(score, np.asarray(counts, dtype=np.float64)[np.newaxis], **options)[0]


def bootstrap_all(
    score: Score, cube: ArrayLike, *, resamples: int = 1000, confidence: float = 0.95, method: str = "percentile",
    seed: int = SEED,
) -> tuple[Interval, ...]:  # fmt: skip
    """Return the intervals of all systems, each equal to that of `bootstrap`; `cube` is (systems, segments, k)."""
    check_draws(resamples, seed)
    check_share("The confidence", confidence)
    if method not in METHODS:
        raise UnknownName("interval method", method, METHODS)
    cube = check_cube(cube)
    columns = exact_columns(cube)
    values = system_scores(score, cube)
    samples = resampled_scores(score, columns, resamples=resamples, seed=seed)
    return make_intervals(score, columns, values, samples, confidence=confidence, method=method, seed=seed)


def make_intervals(
    score: Score, columns: Columns, values: Floats, samples: Floats, *, confidence: float, method: str = "percentile",
    seed: int,
) -> tuple[Interval, ...]:  # fmt: skip
    """Return intervals from scores, shape (systems,), and resampled scores, shape (systems, resamples)."""
    # Resampled scores are compared with the score of the same exact sums.
    observed = evaluate(score, columns.totals)
    resamples, n = samples.shape[1], columns.shape[1]

    def interval(system: int) -> Interval:
        value, drawn = float(values[system]), samples[system]
        low = high = mean = error = float("nan")
        # Resamples of a single segment are all the same, and say nothing about the variance.
        if resamples and n > 1 and not np.isnan(value) and not np.isnan(drawn).any():
            seen = float(observed[system])
            low, high, mean, error = spread(value, seen, drawn, confidence, scale=abs(seen))
            if method == "bca" and error != 0:
                low, high = _bca_bounds(score, columns, system, drawn, seen, confidence)
        return Interval(value, low, high, mean, error, confidence, method, resamples, seed, n)

    return tuple(interval(system) for system in range(len(values)))


def spread(
    value: float, observed: float, samples: Floats, confidence: float, *, scale: float
) -> tuple[float, float, float, float]:
    """Return percentile bounds, mean and standard error of resampled values; the value itself if all equal it."""
    if (np.abs(samples - observed) <= TOLERANCE * scale).all():
        return value, value, value, 0.0
    error = float(samples.std(ddof=1)) if len(samples) > 1 else float("nan")
    return *percentile_bounds(samples, confidence), float(samples.mean()), error


def percentile_bounds(samples: Floats, confidence: float) -> tuple[float, float]:
    """Return the quantiles that leave out (1 - confidence) / 2 on each side, with linear interpolation."""
    tail = (1 - confidence) / 2
    ordered = np.sort(samples)
    # Both are computed from below, so that the bounds of -x are exactly the negated bounds of x.
    return _quantile(ordered, tail), -_quantile(-ordered[::-1], tail)


def _quantile(ordered: Floats, level: float) -> float:
    """Return the quantile as np.quantile does by default, but faster."""
    place = level * (len(ordered) - 1)
    below = int(place)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    return float(low + (high - low) * (place - below))


def _bca_bounds(
    score: Score, columns: Columns, system: int, samples: Floats, observed: float, confidence: float
) -> tuple[float, float]:
    """Return BCa bounds: corrected for bias and acceleration (Efron and Tibshirani, chapter 14)."""
    undefined = float("nan"), float("nan")
    equal = np.abs(samples - observed) <= TOLERANCE * abs(observed)
    below = (samples < observed) & ~equal
    share = float((below.sum() + equal.sum() / 2) / len(samples))
    acceleration = _acceleration(score, columns, system)
    if not 0 < share < 1 or np.isnan(acceleration):
        return undefined
    bias = _NORMAL.inv_cdf(share)
    bounds = []
    for tail in ((1 - confidence) / 2, (1 + confidence) / 2):
        z = bias + _NORMAL.inv_cdf(tail)
        if 1 - acceleration * z <= 0:  # the correction is not monotonic beyond this point
            return undefined
        level = _NORMAL.cdf(bias + z / (1 - acceleration * z))
        bounds.append(float(np.quantile(samples, level)))
    return bounds[0], bounds[1]


def _acceleration(score: Score, columns: Columns, system: int) -> float:
    """Return the acceleration: the skewness of the jackknife scores. NaN if leaving out a segment changes no score."""
    _, n, k = columns.shape
    counts = columns.counts(system)
    scores = np.empty(n)
    rows = batch_rows(k)
    for start in range(0, n, rows):
        scores[start : start + rows] = evaluate(score, columns.totals[system] - counts[start : start + rows])
    if np.isnan(scores).any() or np.ptp(scores) == 0:
        return float("nan")
    deviations = scores.mean() - scores
    deviations /= np.abs(deviations).max()  # so that cubes of tiny numbers do not underflow
    return float((deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5))

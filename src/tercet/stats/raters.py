"""The bootstrap over raters: how much agreement would vary with other raters.

Agreement is a mean over pairs of raters, but pairs are not independent: with 20 raters there are 190 pairs, and each
rater is in 19 of them. Resampling pairs, as if they were independent, makes intervals far too narrow. Resampling
raters, with all their pairs, does not. A rater who is resampled twice is not compared with themselves.

With few raters the plain percentile bootstrap is too narrow. Intervals are therefore widened as in Hesterberg (2015),
"What Teachers Should Know About the Bootstrap" ("expanded percentile"): the variance of resamples is smaller by
(n - 1) / n, and Student's t is wider than the normal distribution.
"""

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ..types import Floats
from .intervals import percentile_bounds
from .resampling import SEED, check_draws
from .student import f_quantile

Bools = NDArray[np.bool_]

FEWEST = 4  # degrees of freedom (raters minus strata); with fewer, resamples have too few distinct values
FEWEST_EACH = 3  # raters per stratum, on average; with two, half of the resamples contain one of them twice
_NORMAL = NormalDist()


def draw_raters(strata: Sequence[Hashable], *, resamples: int = 1000, seed: int = SEED) -> Floats:
    """Return how often each rater is resampled, shape (resamples, raters), within the rater's stratum (group)."""
    check_draws(resamples, seed)
    generator = np.random.default_rng(seed)
    drawn = np.zeros((resamples, len(strata)))
    rows = np.arange(resamples)[:, np.newaxis]
    for stratum in dict.fromkeys(strata):
        members = np.flatnonzero([own == stratum for own in strata])
        chosen = members[generator.integers(len(members), size=(resamples, len(members)))]
        np.add.at(drawn, (rows, chosen), 1.0)
    return drawn


def pair_ratio(part: Floats, whole: Floats, weights: Floats) -> Floats:
    """Return for each resample the ratio of two sums over pairs of raters; NaN where no pair is left."""
    above = ((weights @ part) * weights).sum(1)
    below = ((weights @ whole) * weights).sum(1)
    ratios: Floats = np.divide(above, below, out=np.full(len(weights), np.nan), where=below > 0)
    return ratios


def pair_means(values: Floats, pairs: Bools, weights: Floats) -> Floats:
    """Return for each row of weights the mean over those `pairs`, shape (raters, raters), whose value is defined."""
    counted = pairs & ~np.isnan(values)
    return pair_ratio(np.where(counted, values, 0.0), counted.astype(np.float64), weights)


def bounds(drawn: Floats, *, raters: int, strata: int = 1, confidence: float = 0.95) -> tuple[float, float]:
    """Return the expanded percentile interval; NaN with too few raters (five, or three in each of several strata)."""
    defined = drawn[~np.isnan(drawn)]
    freedom = raters - strata
    if freedom < FEWEST or raters < FEWEST_EACH * strata or 2 * len(defined) <= len(drawn):
        return math.nan, math.nan
    shrunk = math.sqrt(raters / freedom)  # with s strata of n / s raters, the variance is smaller by (n - s) / n
    low, high = percentile_bounds(defined, 1 - 2 * _NORMAL.cdf(-shrunk * t_quantile(confidence, freedom)))
    return low + 0.0, high + 0.0  # 0, not -0


def t_quantile(confidence: float, freedom: int) -> float:
    """Return t such that P(|T| < t) is the confidence, for Student's t."""
    return math.sqrt(f_quantile(1, freedom, confidence))  # the square of T follows F with 1 and `freedom` degrees

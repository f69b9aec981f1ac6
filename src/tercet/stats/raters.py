"""The bootstrap over raters: how agreement would vary with other people.

Agreement is a mean over pairs of raters, but pairs are not independent: with 20 raters there are 190 pairs, and each
rater is in 19 of them. One odd rater moves all 19. Drawing pairs, as if each were a fresh observation, makes intervals
far too narrow; drawing people, with all their pairs, does not. A rater who is drawn twice is not compared with himself.

Raters are few, and the plain percentile bootstrap is too narrow for few. Intervals are therefore widened as Hesterberg
(2015), "What Teachers Should Know About the Bootstrap", does it ("expanded percentile"): for resamples of n vary less
than samples of n, by (n - 1) / n, and Student's t is wider than the normal distribution.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from .intervals import percentile_bounds
from .resampling import SEED, Floats, check_draws

Bools = NDArray[np.bool_]

FEWEST = 4  # degrees of freedom (raters less strata); with fewer, resamples take too few different values
FEWEST_EACH = 3  # raters in a stratum, on average: of two, half of the resamples have one of them twice
_NORMAL = NormalDist()


def draw_raters(strata: Sequence[Hashable], *, resamples: int = 1000, seed: int = SEED) -> Floats:
    """How often each rater is drawn, shape (resamples, raters); raters are drawn within their stratum (group)."""
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
    """Sums over pairs of raters, divided: shapes (raters, raters) twice and (resamples, raters) -> (resamples,).

    Both matrices are symmetric with zeros where a pair does not count. NaN where no pair is left.
    """
    above = ((weights @ part) * weights).sum(1)
    below = ((weights @ whole) * weights).sum(1)
    ratios: Floats = np.divide(above, below, out=np.full(len(weights), np.nan), where=below > 0)
    return ratios


def pair_means(values: Floats, pairs: Bools, weights: Floats) -> Floats:
    """Means over those `pairs`, shape (raters, raters), whose value is defined; one for each row of weights."""
    counted = pairs & ~np.isnan(values)
    return pair_ratio(np.where(counted, values, 0.0), counted.astype(np.float64), weights)


def bounds(drawn: Floats, *, raters: int, strata: int = 1, confidence: float = 0.95) -> tuple[float, float]:
    """The expanded percentile interval of what was drawn, for raters in so many strata.

    NaN for fewer than five raters in one stratum, or fewer than three in each of several, or if most resamples have no
    value. Resamples without a value (one rater drawn all the time) are left out.
    """
    defined = drawn[~np.isnan(drawn)]
    freedom = raters - strata
    if freedom < FEWEST or raters < FEWEST_EACH * strata or 2 * len(defined) <= len(drawn):
        return math.nan, math.nan
    shrunk = math.sqrt(raters / freedom)  # strata of n / s raters each vary by n / (n - s) less
    low, high = percentile_bounds(defined, 1 - 2 * _NORMAL.cdf(-shrunk * t_quantile(confidence, freedom)))
    return low + 0.0, high + 0.0  # 0, not -0


def t_quantile(confidence: float, freedom: int) -> float:
    """What Student's t, with whole degrees of freedom, stays below in absolute value with this probability."""
    low, high = 0.0, 1.0
    while _t_share(high, freedom) < confidence:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_share(middle, freedom) < confidence else (low, middle)
    return (low + high) / 2


def _t_share(t: float, freedom: int) -> float:
    """P(|T| < t), by the finite sums of Abramowitz and Stegun (1964), 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(freedom))
    square = math.cos(angle) ** 2
    odd = freedom % 2
    term, total = (math.cos(angle), 0.0) if odd else (1.0, 0.0)
    for place in range(2 + odd, freedom + 1, 2):
        total += term
        term *= square * (place - 1) / place
    if odd:
        return 2 / math.pi * (angle + math.sin(angle) * total)
    return math.sin(angle) * total

"""Williams' test of whether two metrics that scored the same systems correlate differently with people.

Williams (1959), "The Comparison of Regression Variables", Journal of the Royal Statistical Society B; as used for
metrics by Graham and Baldwin (2014), "Testing for Significance of Increased Correlation with Human Judgment", EMNLP,
and in Ma et al. (2019), "Results of the WMT19 Metrics Shared Task", where it is one-sided with n - 3 degrees of
freedom. Two metrics on the same systems are correlated with each other, and the test takes that into account.
"""

import numpy as np
from numpy.typing import ArrayLike

from ..errors import UsageError
from ..types import Floats
from .correlation import is_constant_series
from .student import t_below

EQUAL = 1e-9  # metrics whose correlation is this close to 1 (-1) are equal (negated) up to rounding noise


def williams(r12: ArrayLike, r13: ArrayLike, r23: ArrayLike, n: ArrayLike, *, two_sided: bool = False) -> Floats:
    """Return the p-value of r12 > r13 (of r12 != r13 if two-sided), for numbers or arrays that broadcast.

    1 is the human score, 2 and 3 are two metrics, r their Pearson correlations over n systems. Metrics that are equal
    up to rounding have p = .5 (1 if two-sided), because numerator and denominator of t vanish. They also vanish if one
    metric is the negative of the other; t is then the limit of the fraction. Returns NaN if a correlation is undefined
    or n is 3 or less, because no degree of freedom is left.
    """
    first, second, between, size = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (r12, r13, r23, n)))
    if any((np.abs(r) > 1 + EQUAL).any() for r in (first, second, between)):
        raise UsageError("The Williams test takes correlations, which lie between -1 and 1.")
    freedom = np.where(size > 3, size - 3, np.nan)
    # The determinant of the correlation matrix; rounding can make it negative.
    k = np.maximum(1 - first**2 - second**2 - between**2 + 2 * first * second * between, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (
            (first - second)
            * np.sqrt((size - 1) * np.maximum(1 + between, 0))
            / np.sqrt(2 * k * (size - 1) / freedom + (first + second) ** 2 / 4 * np.maximum(1 - between, 0) ** 3)
        )
        half = np.minimum(np.abs(first - second) / 2, 1)
        turned = np.sign(first - second) * half * np.sqrt(freedom / (1 - half**2))  # with r23 = -1, r13 is -r12
    t = np.where(1 - between < EQUAL, 0.0, np.where(1 + between < EQUAL, turned, t))
    t[np.isnan(first + second + between + freedom)] = np.nan
    p: Floats = 2 * t_below(freedom, -np.abs(t)) if two_sided else t_below(freedom, -t)
    return p


def williams_matrix(gold: ArrayLike, metrics: ArrayLike, *, two_sided: bool = False, absolute: bool = True) -> Floats:
    """Return p-values of every metric (row) against every other, (metrics, metrics); absolute: as in WMT19's tables."""
    people, scores = np.asarray(gold, dtype=np.float64), np.asarray(metrics, dtype=np.float64)
    if people.ndim != 1 or scores.ndim != 2 or scores.shape[1] != len(people):
        raise UsageError(f"Gold scores of shape {people.shape} do not match metrics of shape {scores.shape}.")
    rows = np.vstack([people, scores])
    with np.errstate(divide="ignore", invalid="ignore"):  # one matrix product; `pearson` would need (rows, rows, n)
        deviations = rows - rows.mean(1, keepdims=True)
        deviations[is_constant_series(rows)] = np.nan
        deviations /= np.sqrt((deviations**2).sum(1, keepdims=True))
        r = (deviations @ deviations.T).clip(-1, 1)
    with_people, between = r[0, 1:], r[1:, 1:]
    if absolute:
        sign = np.where(with_people < 0, -1.0, 1.0)
        with_people, between = np.abs(with_people), between * sign[:, np.newaxis] * sign
    return williams(with_people[:, np.newaxis], with_people, between, len(people), two_sided=two_sided)

"""Statistical power: the smallest difference that a test set can detect, and the segments needed to detect one.

Card et al. (2020), "With Little Power Comes Great Responsibility", EMNLP, explain why it matters. By the normal
approximation, a two-sided test at level alpha detects a true difference d with probability `power` if
d = (z(1 - alpha/2) + z(power)) * standard error of the paired difference.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

from numpy.typing import ArrayLike

from ..errors import UsageError
from .paired import RESAMPLES, paired_bootstrap
from .resampling import SEED, Score, check_share

_NORMAL = NormalDist()


@dataclass(frozen=True)
class Detectable:
    """The smallest true difference of two systems that is detected with the given power on n segments."""

    value: float
    difference: float  # as observed
    standard_error: float  # of the observed difference, by the paired bootstrap
    alpha: float
    power: float
    resamples: int
    seed: int
    n: int  # segments


def minimum_detectable_difference(
    score: Score, first: ArrayLike, second: ArrayLike, *, alpha: float = 0.05, power: float = 0.8,
    resamples: int = RESAMPLES["bootstrap"], seed: int = SEED,
) -> Detectable:  # fmt: skip
    """Return the smallest difference that this test set detects between two such systems; counts are (segments, k)."""
    check_share("The significance level", alpha)
    compared = paired_bootstrap(score, first, second, resamples=resamples, seed=seed)
    value = detectable_difference(compared.standard_error, alpha=alpha, power=power)
    return Detectable(value, compared.difference, compared.standard_error, alpha, power, resamples, seed, compared.n)


def detectable_difference(standard_error: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest true difference that is detected with this power, from its standard error."""
    check_share("The significance level", alpha)
    check_share("The power", power)
    return (_NORMAL.inv_cdf(1 - alpha / 2) + _NORMAL.inv_cdf(power)) * standard_error


def power_of(difference: float, standard_error: float, *, alpha: float = 0.05) -> float:
    """Return the probability that a true difference is significant, in either direction. NaN if undefined."""
    check_share("The significance level", alpha)
    if math.isnan(difference) or math.isnan(standard_error):
        return math.nan
    if standard_error == 0:
        return 1.0 if difference else alpha
    z, shift = _NORMAL.inv_cdf(1 - alpha / 2), abs(difference) / standard_error
    return _NORMAL.cdf(shift - z) + _NORMAL.cdf(-shift - z)


def segments_needed(
    difference: float, standard_error: float, n: int, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return the number of segments that detect a true difference with this power; inf if none do."""
    if n < 1:
        raise UsageError(f"The standard error must be that of at least one segment, not {n}.")
    ratio = detectable_difference(standard_error, alpha=alpha, power=power)
    if math.isnan(ratio) or math.isnan(difference):
        return math.nan
    if difference == 0:
        return math.inf
    return float(max(1, math.ceil(n * (ratio / difference) ** 2)))

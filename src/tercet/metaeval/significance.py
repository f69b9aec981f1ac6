"""The significance tests of `judge`: which metric is significantly better than which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import UnknownName, UsageError
from ..stats.clusters import outperforms
from ..stats.correlation_bootstrap import Resampled, separate
from ..stats.permutation import permutation_test
from ..stats.williams import williams_matrix
from ..types import Floats
from .measurement import Measurement
from .measures import Statistic

if TYPE_CHECKING:
    from .judging import Request


TESTS = {  # with what they are called in reports
    "williams": "Williams' test, one-sided",
    "bootstrap": "paired bootstrap",
    "overlap": "intervals do not overlap",
    "perm-inputs": "permutation of segments",
    "perm-systems": "permutation of systems",
    "perm-both": "permutation of systems and segments",
}


def find_test(significance: str | None, wanted: Statistic, *, absolute: bool = False) -> str | None:
    """Return the name of the test; "auto" is the default. Raise an error if it does not fit the statistic."""
    if significance is None or significance == "none":
        return None
    if significance == "auto":
        return "williams" if wanted.name == "pearson" and wanted.average == "none" else "bootstrap"
    if significance not in TESTS:
        raise UnknownName("test", significance, (*TESTS, "none"))
    if significance == "williams" and (wanted.name != "pearson" or wanted.average != "none"):
        raise UsageError("Williams' test applies only to Pearson's r over all systems or outputs. Use the bootstrap.")
    if significance.startswith("perm-") and not wanted.is_correlation:
        raise UsageError(f"Permutation tests apply to correlations, not to {wanted.name}. Use the bootstrap.")
    if significance.startswith("perm-") and absolute:
        raise UsageError(f"{significance} compares signed correlations. Leave out `absolute`.")
    if significance.startswith("perm-") and wanted.average == "system":
        raise UsageError("Permutation tests cannot average by system. Use the bootstrap, or `average` item.")
    return significance


def find_better(
    test: str | None, wanted: Statistic, found: Measurement, resampled: Resampled, asked: Request
) -> tuple[Floats | None, NDArray[np.bool_] | None]:
    """Return p-values of the row's metric being better than the column's, and which one outperforms which."""
    if test is None or len(found.metrics) < 2:
        return None, None
    if test == "overlap":
        intervals = resampled.intervals(asked.confidence)
        bounded = sum(not np.isnan(interval.low) for interval in intervals)
        return None, separate(intervals) if bounded > 1 else None
    if test == "williams":
        p = williams_matrix(found.human, found.metrics, absolute=asked.absolute)
    elif test == "bootstrap":
        p = _bootstrap_p(resampled, asked.alpha)
    else:
        if found.segments is None or found.gold is None:
            raise UsageError(f"{test} needs segment scores of all metrics.")
        level = "system" if wanted.level == "sys" else "segment" if wanted.average == "item" else "global"
        sizes = asked.draws
        p = permutation_test(found.gold, found.segments, kind=test, statistic=wanted.name, level=level, **sizes).p_value
    if np.isnan(p[~np.eye(len(p), dtype=bool)]).all():
        return None, None
    return p, outperforms(p, asked.alpha, scores=resampled.values)


def _bootstrap_p(resampled: Resampled, alpha: float) -> Floats:
    """Return the share of resamples in which the row's metric is not better; NaN if undefined too often."""
    count = len(resampled.values)
    p = np.full((count, count), np.nan)
    for i in range(count):
        difference = resampled.samples[i] - resampled.samples
        defined = ~np.isnan(difference)
        with np.errstate(invalid="ignore"):
            hits = ((difference <= 0) & defined).sum(1)
        enough = (defined.mean(1) > 1 - alpha) & (resampled.n > 1)
        p[i] = np.where(enough, (1 + hits) / (1 + defined.sum(1)), np.nan)
    return p

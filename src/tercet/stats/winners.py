"""Winning metrics: those that no other metric significantly outperforms.

The WMT metrics tasks print them bold, for example Ma et al. (2019), "Results of the WMT19 Metrics Shared Task". `rank`
makes clusters from the same p-values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UsageError
from .resampling import check_share


def outperforms(p_values: ArrayLike, alpha: float = 0.05, *, scores: ArrayLike | None = None) -> NDArray[np.bool_]:
    """Return whether the row's metric significantly outperforms the column's, from p-values, shape (metrics, metrics).

    P-values of a two-sided test do not say which metric is better. With them, give `scores`, shape (metrics,), higher
    is better. A metric with NaN outperforms none.
    """
    check_share("The significance level", alpha)
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 2 or p.shape[0] != p.shape[1]:
        raise UsageError(f"P-values of all pairs must have the shape (metrics, metrics), not {p.shape}.")
    beats: NDArray[np.bool_] = (p < alpha) & ~np.eye(len(p), dtype=bool)
    if scores is not None:
        worth = np.asarray(scores, dtype=np.float64)
        if worth.shape != p.shape[:1]:
            raise UsageError(f"Scores of shape {worth.shape} do not match p-values of shape {p.shape}.")
        beats &= worth[:, np.newaxis] > worth
    return beats


def not_outperformed(p_values: ArrayLike, alpha: float = 0.05, *, scores: ArrayLike | None = None) -> NDArray[np.bool_]:
    """Return which metrics win, shape (metrics,), from the p-values that `outperforms` takes.

    A metric without a correlation has NaN on the diagonal, and does not win.
    """
    beats = outperforms(p_values, alpha, scores=scores)
    winners: NDArray[np.bool_] = ~beats.any(0) & ~np.isnan(np.diag(np.asarray(p_values, dtype=np.float64)))
    return winners

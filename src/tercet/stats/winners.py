"""Which metrics win: those that no other significantly outperforms.

The rule behind bold print in the WMT metrics tasks, for example Ma et al. (2019), "Results of the WMT19 Metrics Shared
Task". For clusters from the same p-values there is `rank`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UsageError
from .resampling import check_share


def outperforms(p_values: ArrayLike, alpha: float = 0.05, *, scores: ArrayLike | None = None) -> NDArray[np.bool_]:
    """Which metric (row) significantly beats which (column), from p-values that it does, shape (metrics, metrics).

    P-values of a two-sided test do not say which of the two is better; with them, `scores` must be given, shape
    (metrics,), the higher the better. NaN beats none.
    """
    check_share("The significance level", alpha)
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 2 or p.shape[0] != p.shape[1]:
        raise UsageError(f"P-values of all pairs must have the shape (metrics, metrics), not {p.shape}.")
    beats: NDArray[np.bool_] = (p < alpha) & ~np.eye(len(p), dtype=bool)
    if scores is not None:
        worth = np.asarray(scores, dtype=np.float64)
        if worth.shape != p.shape[:1]:
            raise UsageError(f"Scores of shape {worth.shape} do not go with p-values of shape {p.shape}.")
        beats &= worth[:, np.newaxis] > worth
    return beats


def not_outperformed(p_values: ArrayLike, alpha: float = 0.05, *, scores: ArrayLike | None = None) -> NDArray[np.bool_]:
    """The winners, shape (metrics,), from the p-values that `outperforms` takes.

    A metric that has no correlation, so that even its comparison with itself (the diagonal) is NaN, does not win.
    """
    beats = outperforms(p_values, alpha, scores=scores)
    winners: NDArray[np.bool_] = ~beats.any(0) & ~np.isnan(np.diag(np.asarray(p_values, dtype=np.float64)))
    return winners

"""Holm's correction of p-values (1979, "A Simple Sequentially Rejective Multiple Test Procedure")."""

import numpy as np
from numpy.typing import ArrayLike

from ..errors import UsageError
from ..types import Floats


def holm(p_values: ArrayLike) -> Floats:
    """Return adjusted p-values, shape (tests,), to compare with the significance level itself; NaN is no test."""
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise UsageError(f"Holm's correction needs p-values of shape (tests,), not {p.shape}.")
    adjusted = np.full(p.shape, np.nan)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]  # NaN sorts last
    steps = np.arange(len(order), 0, -1)  # the smallest is multiplied by the number of tests, the largest by 1
    adjusted[order] = np.minimum(np.maximum.accumulate(steps * p[order]), 1.0)
    return adjusted


def holm_pairs(p_values: ArrayLike) -> Floats:
    """Return a symmetric matrix of p-values, shape (systems, systems), corrected; each pair counts as one test."""
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 2 or not np.array_equal(p, p.T, equal_nan=True):
        raise UsageError("P-values of pairs must be a symmetric matrix with one row and column per system.")
    upper = np.triu_indices(len(p), 1)
    adjusted = p.copy()
    adjusted[upper] = holm(p[upper])
    adjusted.T[upper] = adjusted[upper]
    return adjusted

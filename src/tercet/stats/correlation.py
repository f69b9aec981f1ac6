"""Correlations of two series: Pearson, Spearman and Kendall, vectorised over many series.

Equal to scipy.stats up to rounding, without importing it. Pearson takes two passes (means first), because one pass
loses precision where the spread is small compared with the values. Kendall (1945), "The Treatment of Ties in Ranking
Problems", for tau-b; Stuart (1953), "The Estimation and Comparison of Strengths of Association in Contingency Tables",
for tau-c; discordant pairs are counted in n log n steps (kernels.inversions).

The last axis is the series, and leading axes broadcast: shapes (metrics, n) and (n,) give (metrics,). A correlation is
NaN where it is undefined: with NaN in either series, with fewer than two items, or if a series is constant.
"""

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UnknownName, UsageError
from ..kernels import inversions
from ..types import Floats
from .resampling import TOLERANCE

Correlation = Callable[[ArrayLike, ArrayLike], Floats]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]

_BATCH = 2**20  # numbers ranked at once, about 100 MB with all temporary arrays


def pearson(x: ArrayLike, y: ArrayLike) -> Floats:
    """Return Pearson's r, shapes (..., n) and (..., n) -> (...)."""
    first, second = _both(x, y)
    with np.errstate(invalid="ignore", over="ignore"):
        r = (_unit(first) * _unit(second)).sum(-1)
        return _where_defined(np.clip(r, -1, 1), first, second)


def spearman(x: ArrayLike, y: ArrayLike) -> Floats:
    """Return Spearman's rho: Pearson's r of the ranks. Equal values have the mean of their ranks."""
    first, second = _both(x, y)
    return _where_defined(pearson(average_ranks(first), average_ranks(second)), first, second)


def kendall(x: ArrayLike, y: ArrayLike, variant: str = "b") -> Floats:
    """Return Kendall's tau-b, or tau-c, which suits tables that are not square. Fast for tens of thousands of items."""
    if variant not in ("b", "c"):
        raise UnknownName("variant of Kendall's tau", variant, ("b", "c"))
    first, second = _both(x, y)
    left, right = np.broadcast_arrays(first, second)
    shape, n = left.shape[:-1], left.shape[-1]
    left, right = left.reshape(prod(shape), n), right.reshape(prod(shape), n)
    tau = np.full(len(left), np.nan)
    if n > 1:
        rows = max(_BATCH // n, 1)
        for start in range(0, len(left), rows):
            part = slice(start, start + rows)
            tau[part] = _kendall(left[part], right[part], variant)
    return _where_defined(tau.reshape(shape), first, second)


def average_ranks(x: ArrayLike) -> Floats:
    """Return ranks from 1 along the last axis; equal values share the mean rank. A series with NaN has NaN ranks."""
    values = _series(x)
    n = values.shape[-1]
    order = np.argsort(values, axis=-1, kind="stable")
    begins = _begins(np.take_along_axis(values, order, -1))
    places = np.broadcast_to(np.arange(n), values.shape)
    first = np.maximum.accumulate(np.where(begins, places, 0), axis=-1)
    # A run of equal values ends where the next one begins.
    ends = np.concatenate([begins[..., 1:], np.ones((*values.shape[:-1], min(n, 1)), dtype=bool)], axis=-1)
    last = np.minimum.accumulate(np.where(ends, places, n)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    ranks[np.isnan(values).any(-1)] = np.nan
    return ranks


def is_constant_series(x: ArrayLike) -> Bools:
    """Return whether a series is constant up to 1e-12 of its largest value, shape (..., n) -> (...)."""
    values = _series(x)
    if values.shape[-1] == 0:
        return np.ones(values.shape[:-1], dtype=bool)
    with np.errstate(invalid="ignore", over="ignore"):
        size = np.abs(values).max(-1)
        return np.asarray((values.max(-1) - values.min(-1) <= TOLERANCE * size) & np.isfinite(size))


def _series(x: ArrayLike) -> Floats:
    values = np.asarray(x, dtype=np.float64)
    if values.ndim == 0:
        raise UsageError("A correlation needs series of numbers, not single numbers.")
    return values


def _both(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Return two series as float64. Raise UsageError if their shapes do not match."""
    first, second = _series(x), _series(y)
    if first.shape[-1] != second.shape[-1]:
        raise UsageError(f"The series must have the same length, not {first.shape[-1]} and {second.shape[-1]}.")
    try:
        np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        raise UsageError(f"Series of shapes {first.shape} and {second.shape} cannot be broadcast together.") from None
    return first, second


def _unit(x: Floats) -> Floats:
    """Return deviations from the mean, scaled so that their squares sum to 1."""
    if x.shape[-1] == 0:
        return x
    deviations = x - x.mean(-1, keepdims=True)
    with np.errstate(divide="ignore"):
        deviations = deviations / np.abs(deviations).max(-1, keepdims=True)  # squares neither overflow nor vanish
    result: Floats = deviations / np.sqrt((deviations**2).sum(-1, keepdims=True))
    return result


def _where_defined(values: Floats, x: Floats, y: Floats) -> Floats:
    missing = np.isnan(x).any(-1) | np.isnan(y).any(-1)
    return np.where(missing | is_constant_series(x) | is_constant_series(y), np.nan, values)


def _begins(ordered: NDArray[Any]) -> Bools:
    """Return True where a run of equal values begins, along the last axis."""
    begins = np.ones(ordered.shape, dtype=bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    return begins


def _kendall(x: Floats, y: Floats, variant: str) -> Floats:
    """Return tau of rows of x with rows of y, shape (rows, n), n > 1. The caller replaces results of rows with NaN."""
    n = x.shape[1]
    by_x, by_y = np.argsort(x, axis=-1), np.argsort(y, axis=-1)
    begins_x, begins_y = (_begins(np.take_along_axis(*pair, -1)) for pair in ((x, by_x), (y, by_y)))
    ranks: NDArray[np.int32] = np.empty(y.shape, dtype=np.int32)
    np.put_along_axis(ranks, by_y, begins_y.cumsum(-1, dtype=np.int32), -1)
    if begins_x.all():
        ranks = np.take_along_axis(ranks, by_x, -1)
    else:  # pairs tied in x must be in the order of y: both ranks are sorted as one number
        both = np.empty(x.shape, dtype=np.int64)
        np.put_along_axis(both, by_x, begins_x.cumsum(-1) << 32, -1)
        ranks = np.sort(both | ranks, axis=-1).astype(np.int32)  # the lower 32 bits
    pairs = n * (n - 1) // 2
    ties_x, ties_y, ties_both = _ties(begins_x), _ties(begins_y), _ties(begins_x | _begins(ranks))
    discordant = _inversions(ranks)
    concordant = pairs - ties_x - ties_y + ties_both - discordant
    difference = (concordant - discordant).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        if variant == "b":
            tau = difference / np.sqrt(pairs - ties_x) / np.sqrt(pairs - ties_y)
        else:
            classes = np.minimum(begins_x.sum(-1), begins_y.sum(-1))
            tau = 2 * difference / (n**2 * (classes - 1) / classes)
    return np.asarray(np.clip(tau, -1, 1))


def _ties(begins: Bools) -> Integers:
    """Return the number of tied pairs, from where runs begin: an item is tied with those before it in its run."""
    places = np.broadcast_to(np.arange(begins.shape[-1]), begins.shape)
    return np.asarray((places - np.maximum.accumulate(np.where(begins, places, 0), axis=-1)).sum(-1))


def _inversions(ranks: NDArray[np.int32]) -> Integers:
    """Return the number of inversions in each row of ranks from 1."""
    total, tree = np.zeros(len(ranks), dtype=np.int64), np.empty(int(ranks.max()) + 1, dtype=np.int32)
    inversions.count_inversions(np.ascontiguousarray(ranks).data, tree.data, total.data)
    return total


CORRELATIONS: dict[str, Correlation] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
    "kendall-c": partial(kendall, variant="c"),
}

"""How well two series of numbers go together: Pearson, Spearman and Kendall, of many series at once.

Equal to scipy.stats up to rounding, without importing it. Pearson takes two passes (means first), because one pass
loses all digits where the spread is small beside the values. Kendall (1945), "The Treatment of Ties in Ranking
Problems", for tau-b; Stuart (1953), "The Estimation and Comparison of Strengths of Association in Contingency Tables",
for tau-c; discordant pairs are counted in n log n steps, after Knight (1966), "A Computer Method for Calculating
Kendall's Tau with Ungrouped Data".

Everywhere the last axis is the series, and leading axes broadcast: shapes (metrics, n) and (n,) give (metrics,). A
correlation is NaN where it is undefined: with NaN in either series, with fewer than two items, or where a series is
constant.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UnknownName, UsageError
from .resampling import TOLERANCE, Floats

Correlation = Callable[[ArrayLike, ArrayLike], Floats]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]

_BATCH = 2**20  # numbers of a series that are ranked at once; with all temporary arrays about 100 MB


def pearson(x: ArrayLike, y: ArrayLike) -> Floats:
    """Pearson's r, shapes (..., n) and (..., n) -> (...)."""
    first, second = _series(x), _series(y)
    _check_lengths(first, second)
    with np.errstate(invalid="ignore", over="ignore"):
        r = (_unit(first) * _unit(second)).sum(-1)
        return _where_defined(np.clip(r, -1, 1), first, second)


def spearman(x: ArrayLike, y: ArrayLike) -> Floats:
    """Spearman's rho: Pearson's r of the ranks, where equal values share the mean of their ranks."""
    first, second = _series(x), _series(y)
    _check_lengths(first, second)
    return _where_defined(pearson(average_ranks(first), average_ranks(second)), first, second)


def kendall(x: ArrayLike, y: ArrayLike, variant: str = "b") -> Floats:
    """Kendall's tau-b, or tau-c for tables that are not square; also of tens of thousands of items."""
    if variant not in ("b", "c"):
        raise UnknownName("variant of Kendall's tau", variant, ("b", "c"))
    first, second = _series(x), _series(y)
    _check_lengths(first, second)
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
    """Ranks from 1 along the last axis; equal values share the mean of theirs. A series with NaN has NaN ranks."""
    values = _series(x)
    n = values.shape[-1]
    order = np.argsort(values, axis=-1, kind="stable")
    begins = _begins(np.take_along_axis(values, order, -1))
    places = np.broadcast_to(np.arange(n), values.shape)
    first = np.maximum.accumulate(np.where(begins, places, 0), axis=-1)
    # Seen from the end, a run ends where the next one begins.
    ends = np.concatenate([begins[..., 1:], np.ones((*values.shape[:-1], min(n, 1)), dtype=bool)], axis=-1)
    last = np.minimum.accumulate(np.where(ends, places, n)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    ranks[np.isnan(values).any(-1)] = np.nan
    return ranks


def is_constant_series(x: ArrayLike) -> Bools:
    """Whether a series does not vary but for rounding noise, shape (..., n) -> (...); also where n is 0 or 1.

    Noise is what is below 1e-12 of the largest value: the same score reached through sums in another order differs by
    1e-13 of it at most, and no score is published with twelve digits.
    """
    values = _series(x)
    if values.shape[-1] == 0:
        return np.ones(values.shape[:-1], dtype=bool)
    with np.errstate(invalid="ignore", over="ignore"):
        size = np.abs(values).max(-1)
        return np.asarray((values.max(-1) - values.min(-1) <= TOLERANCE * size) & np.isfinite(size))


def _series(x: ArrayLike) -> Floats:
    values = np.asarray(x, dtype=np.float64)
    if values.ndim == 0:
        raise UsageError("A correlation needs series of numbers, not single ones.")
    return values


def _check_lengths(x: Floats, y: Floats) -> None:
    if x.shape[-1] != y.shape[-1]:
        raise UsageError(f"Series that are compared must be equally long, not {x.shape[-1]} and {y.shape[-1]}.")
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise UsageError(f"Series of the shapes {x.shape} and {y.shape} cannot be compared.") from None


def _unit(x: Floats) -> Floats:
    """Deviations from the mean, scaled so that their squares add up to 1."""
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


def _begins(ordered: NDArray[np.float64] | Integers) -> Bools:
    """Where a run of equal values begins, along the last axis."""
    begins = np.ones(ordered.shape, dtype=bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    return begins


def _kendall(x: Floats, y: Floats, variant: str) -> Floats:
    """Rows of x with rows of y, shape (rows, n), n > 1. Whatever comes out where NaN goes in is replaced later."""
    n = x.shape[1]
    ranks = _dense_ranks(y)
    order = np.lexsort((ranks, x), axis=-1)  # by x and, where x is equal, by y: such pairs are in order
    begins = _begins(np.take_along_axis(x, order, -1))
    ranks = np.take_along_axis(ranks, order, -1)
    both = begins | _begins(ranks)
    ordered_y = np.sort(ranks, axis=-1)
    pairs = n * (n - 1) // 2
    ties_x, ties_y, ties_both = _ties(begins), _ties(_begins(ordered_y)), _ties(both)
    discordant = _inversions(ranks)
    concordant = pairs - ties_x - ties_y + ties_both - discordant
    difference = (concordant - discordant).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        if variant == "b":
            tau = difference / np.sqrt(pairs - ties_x) / np.sqrt(pairs - ties_y)
        else:
            classes = np.minimum(begins.sum(-1), _begins(ordered_y).sum(-1))
            tau = 2 * difference / (n**2 * (classes - 1) / classes)
    return np.asarray(np.clip(tau, -1, 1))


def _dense_ranks(x: Floats) -> Integers:
    """0 for the smallest value of a row, 1 for the next one, ..."""
    order = np.argsort(x, axis=-1, kind="stable")
    ranks = np.empty(x.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, _begins(np.take_along_axis(x, order, -1)).cumsum(-1) - 1, axis=-1)
    return ranks


def _ties(begins: Bools) -> Integers:
    """How many pairs are equal, from where runs begin: an item is tied with those before it in its run."""
    places = np.broadcast_to(np.arange(begins.shape[-1]), begins.shape)
    return np.asarray((places - np.maximum.accumulate(np.where(begins, places, 0), axis=-1)).sum(-1))


def _inversions(ranks: Integers) -> Integers:
    """How many pairs of a row stand in the wrong order, for whole numbers from 0.

    Two numbers are told apart by the highest bit in which they differ. Bit after bit, numbers that agree in all
    higher bits stand together, in their first order: there each 0 is in the wrong order with every 1 before it.
    """
    total = np.zeros(len(ranks), dtype=np.int64)
    places = np.broadcast_to(np.arange(ranks.shape[1]), ranks.shape)
    for bit in reversed(range(int(ranks.max()).bit_length())):
        ones = (ranks >> bit) & 1
        before = ones.cumsum(-1) - ones
        begin = np.maximum.accumulate(np.where(_begins(ranks >> (bit + 1)), places, 0), axis=-1)
        total += np.where(ones == 0, before - np.take_along_axis(before, begin, -1), 0).sum(-1)
        ranks = np.take_along_axis(ranks, np.argsort(ranks >> bit, axis=-1, kind="stable"), -1)
    return total


CORRELATIONS: dict[str, Correlation] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
    "kendall-c": partial(kendall, variant="c"),
}

"""The seven smoothing techniques of Chen and Cherry (2014) for BLEU of segments, with the numbers of NLTK 3.10.

"A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU", WMT. Where NLTK reads the paper differently,
NLTK is followed: its method 4 halves the added count for each order without a match, and its method 5 averages
precisions, where the paper averages counts.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from ...types import Floats

EPSILON = 0.1  # method 1
K = 5  # method 4
ALPHA = 5  # method 6


def smoothed_precisions(method: str, matches: Floats, totals: Floats, length: Floats, orders: int) -> Floats:
    """Return precisions, 0 to 1, shape (orders, ...); matches and totals may have one order more."""
    return METHODS[method](matches, totals, length)[:orders]


def _plain(matches: Floats, totals: Floats) -> Floats:
    result: Floats = matches / np.maximum(totals, 1)
    return result


def _epsilon(matches: Floats, totals: Floats, length: Floats) -> Floats:
    return _plain(np.where(matches == 0, EPSILON, matches), totals)


def _add_one(matches: Floats, totals: Floats, length: Floats) -> Floats:
    added = np.concatenate([np.zeros_like(matches[:1]), np.ones_like(matches[1:])])
    return _plain(matches + added, np.maximum(totals, 1) + added)


def _halved(matches: Floats, totals: Floats, length: Floats) -> Floats:
    return _plain(np.where(matches == 0, 1 / _doubled(matches), matches), totals)


def _halved_by_length(matches: Floats, totals: Floats, length: Floats) -> Floats:
    added = np.log(np.maximum(length, 1)) / (K * _doubled(matches))  # 0 for an output of one word
    return _plain(np.where(matches == 0, added, matches), totals)


def _doubled(matches: Floats) -> Floats:
    """Return 2 to the power of the orders without a match so far."""
    return np.asarray(np.cumprod(np.where(matches == 0, 2.0, 1.0), axis=0), dtype=np.float64)


def _averaged(precisions: Floats) -> Floats:
    """Return the mean of each order's precision, the smoothed one before it and the next one; the last is left out."""
    result, before = [], precisions[0] + 1
    for own, following in pairwise(precisions):
        before = (before + own + following) / 3
        result.append(before)
    return np.stack(result)


def _average(matches: Floats, totals: Floats, length: Floats) -> Floats:
    return _averaged(_plain(matches, totals))


def _interpolated(matches: Floats, totals: Floats, length: Floats) -> Floats:
    result = list(_plain(matches, totals)[:2])
    for own, total in zip(matches[2:], totals[2:], strict=True):
        earlier, last = result[-2:]
        prior = np.divide(last**2, earlier, out=np.zeros_like(last), where=earlier > 0)
        result.append((own + ALPHA * prior) / (total + ALPHA))
    return np.stack(result)


def _halved_and_averaged(matches: Floats, totals: Floats, length: Floats) -> Floats:
    halved = _halved_by_length(matches[:-1], totals[:-1], length)
    return _averaged(np.concatenate([halved, _plain(matches, totals)[-1:]]))


METHODS: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "cc1": _epsilon,
    "cc2": _add_one,
    "cc3": _halved,
    "cc4": _halved_by_length,
    "cc5": _average,
    "cc6": _interpolated,
    "cc7": _halved_and_averaged,
}

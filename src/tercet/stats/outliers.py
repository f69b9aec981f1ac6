"""Subsets of items on which a correlation is computed again: without outliers, the best N, and levels of quality.

Mathur, Baldwin and Cohn (2020), "Tangled up in BLEU: Reevaluating the Evaluation of Automatic Machine Translation
Evaluation Metrics", ACL, on outliers; Ma et al. (2019), "Results of the WMT19 Metrics Shared Task", section 6.1, on
the best N systems; Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation",
section 4.5.4, on levels of quality. Higher gold scores are better.
"""

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError, UsageError
from ..types import Floats
from .correlation import Correlation, pearson

SCALE = 1.483  # the median absolute deviation of normal data times this is their standard deviation
CUTOFF = 2.5
_MOST_SUBSETS = 100_000


class TopN(NamedTuple):
    """A statistic of the best n items: its range over all choices among items tied at the cut."""

    n: int
    low: float
    high: float


def mad_outliers(gold: ArrayLike, cutoff: float = CUTOFF) -> NDArray[np.bool_]:
    """Return whether items lie more than `cutoff` scaled median absolute deviations from the median, shape (n,)."""
    if not cutoff > 0:
        raise UsageError(f"The cutoff for outliers must be greater than 0, not {cutoff!r}.")
    values = _vector(gold)
    present = values[~np.isnan(values)]
    if not len(present):
        return np.zeros(len(values), dtype=bool)
    middle = np.median(present)
    scale = SCALE * np.median(np.abs(present - middle))
    with np.errstate(invalid="ignore"):
        return np.asarray((np.abs(values - middle) / scale > cutoff) if scale > 0 else np.zeros(len(values), bool))


def top_n(gold: ArrayLike, metric: ArrayLike, statistic: Correlation = pearson, least: int = 4) -> list[TopN]:
    """Return the statistic over the best N items by gold, N from all to `least`, and its range over ties at the cut."""
    people, said = _vector(gold), _vector(metric)
    if people.shape != said.shape:
        raise UsageError(f"A metric for {len(said)} items does not match gold scores for {len(people)}.")
    if least < 2:
        raise UsageError(f"A correlation needs at least 2 items, not {least}.")
    curve = []
    for n in range(len(people), least - 1, -1):
        if np.isnan(people).any():
            curve.append(TopN(n, float("nan"), float("nan")))
            continue
        subsets = _best(people, n)
        values = np.asarray(statistic(people[subsets], said[subsets]))
        curve.append(TopN(n, float(values.min()), float(values.max())))
    return curve


def quality_levels(gold: ArrayLike, levels: int = 4) -> Floats:
    """Return the level of each item, from 1 (worst) to `levels` (best), shape (n,); bounds are quantiles of gold.

    An item on a bound belongs below it. The thesis's numbers are consistent only if its L4 is the top, as here.
    """
    if levels < 1:
        raise UsageError(f"The number of quality levels must be at least 1, not {levels}.")
    values = _vector(gold)
    missing = np.isnan(values)
    if missing.all():
        return np.full(len(values), np.nan)
    bounds = np.quantile(values[~missing], np.arange(1, levels) / levels)
    return np.where(missing, np.nan, 1.0 + np.searchsorted(bounds, values, side="left"))


def _vector(x: ArrayLike) -> Floats:
    values = np.asarray(x, dtype=np.float64)
    if values.ndim != 1:
        raise UsageError(f"One number per item is needed, not an array of shape {values.shape}.")
    return values


def _best(gold: Floats, n: int) -> NDArray[np.int64]:
    """Return all sets of the n best items, shape (sets, n), sorted by gold."""
    order = np.argsort(-gold, kind="stable")
    last = gold[order[n - 1]]
    above, equal = order[gold[order] > last], order[gold[order] == last]
    places = n - len(above)
    if comb(len(equal), places) > _MOST_SUBSETS:
        raise DataError(
            f"The {n} best items can be chosen in {comb(len(equal), places):,} ways, because {len(equal)} have the "
            f"gold score {last:g}. A curve over the best items needs fewer ties."
        )
    return np.array([[*above, *chosen] for chosen in combinations(equal, places)])

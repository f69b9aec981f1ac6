"""Coefficients of whole tables of ratings, and tau from nine counts: what Tercet computes, written as textbooks do."""

from itertools import combinations

import numpy as np

from tercet.stats.agreement import kappa_matrix
from tercet.stats.reliability import Cells, Ratings
from tercet.stats.tau import Tau


def mean_kappa(ratings, weights="standard"):
    """Mean of kappa over all pairs of raters for which it is defined, shape (raters, items)."""
    matrix = kappa_matrix(ratings, weights=weights)
    values = [matrix[pair] for pair in combinations(range(len(matrix)), 2)]
    return np.nanmean(values) if not np.isnan(values).all() else np.nan


def cells_of(ratings):
    """The ratings of a table, shape (raters, items), with NaN for an item that a rater did not rate."""
    table = np.asarray(ratings, dtype=np.float64)
    rater, item = np.nonzero(~np.isnan(table))
    return Cells(rater, item, table[rater, item])


def fleiss_kappa(ratings, weights=None):
    return Ratings.of(cells_of(ratings)).fleiss(weights)


def krippendorff_alpha(ratings, level="nominal", weights=None):
    return Ratings.of(cells_of(ratings)).alpha(level, weights)


def count_pairs(human, metric, groups=None):
    """Pairs in each of the nine cells of a table of tau, by group, shape (..., groups, 9); NaN with a missing sign."""
    people, said = np.asarray(human, dtype=float), np.asarray(metric, dtype=float)
    numbers = np.arange(len(people)) if groups is None else np.asarray(groups)
    size = int(numbers.max()) + 1 if len(numbers) else 0
    counts = np.zeros((*said.shape[:-1], size, 9))
    for place in np.ndindex(said.shape):
        cell = 3 * (1 - people[place[-1]]) + 1 - said[place]
        if np.isnan(cell):
            counts[(*place[:-1], numbers[place[-1]])] = np.nan
        else:
            counts[(*place[:-1], numbers[place[-1]], int(cell))] += 1
    return counts


def tau_of(counts, tau):
    """Tau of nine counts, shape (..., 9) -> (...): its definition."""
    cells = (tau if isinstance(tau, Tau) else Tau(tau)).cells
    counted = ~np.isnan(cells)
    pairs = counts[..., counted].sum(-1)
    with np.errstate(invalid="ignore"):
        return counts[..., counted] @ cells[counted] / pairs

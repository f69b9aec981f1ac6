"""Who is best by the p-values of any test: systems ranked in clusters, and metrics that no other outperforms.

Clusters are separated where all systems above are significantly better than all below, as in the tables of the WMT news
tasks, for example Bojar et al. (2016), "Findings of the 2016 Conference on Machine Translation". The WMT metrics tasks
print winning metrics bold, for example Ma et al. (2019), "Results of the WMT19 Metrics Shared Task".
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UsageError
from .resampling import check_share


@dataclass(frozen=True)
class Ranking:
    """Systems by index, best first."""

    order: tuple[int, ...]
    clusters: tuple[tuple[int, ...], ...]  # best cluster first, best system first
    ranges: tuple[tuple[int, int] | None, ...]  # best and worst possible rank by system; None: not ranked
    unranked: tuple[int, ...]  # systems without a score
    alpha: float

    def cluster_of(self, system: int) -> int | None:
        """Return the number of a system's cluster, from 1, or None if the system is not ranked."""
        return next((number for number, cluster in enumerate(self.clusters, 1) if system in cluster), None)


def rank(scores: ArrayLike, p_values: ArrayLike, *, higher_is_better: bool, alpha: float = 0.05) -> Ranking:
    """Return clusters and rank ranges from scores, shape (systems,), and p-values, shape (systems, systems).

    A system is significantly better than another if it has the better score and p < alpha. Its best possible rank is
    below all that are significantly better, its worst above all that are significantly worse.
    """
    check_share("The significance level", alpha)
    values, p = np.asarray(scores, dtype=np.float64), np.asarray(p_values, dtype=np.float64)
    if values.ndim != 1 or p.shape != (len(values), len(values)):
        raise UsageError(f"Scores of shape {values.shape} do not match p-values of shape {p.shape}.")
    worth = values if higher_is_better else -values
    better = (worth[:, np.newaxis] > worth) & (p < alpha)
    ranked = ~np.isnan(worth)
    order = [int(system) for system in np.argsort(-worth, kind="stable") if ranked[system]]
    clusters: list[tuple[int, ...]] = []
    begin = 0
    for end in range(1, len(order) + 1):
        if better[np.ix_(order[:end], order[end:])].all():  # true at the end, where nothing is below
            clusters.append(tuple(order[begin:end]))
            begin = end
    above, below = better.sum(0), better.sum(1)
    ranges = tuple(
        (1 + int(above[system]), len(order) - int(below[system])) if ranked[system] else None
        for system in range(len(values))
    )
    unranked = tuple(int(system) for system in np.flatnonzero(~ranked))
    return Ranking(tuple(order), tuple(clusters), ranges, unranked, alpha)


def outperforms(p_values: ArrayLike, alpha: float = 0.05, *, scores: ArrayLike | None = None) -> NDArray[np.bool_]:
    """Return whether the row's metric significantly outperforms the column's, from p-values, shape (metrics, metrics).

    With p-values of a two-sided test give `scores`, shape (metrics,), which say which metric is better.
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
    """Return which metrics win, shape (metrics,). A metric with NaN on the diagonal of the p-values does not."""
    beats = outperforms(p_values, alpha, scores=scores)
    winners: NDArray[np.bool_] = ~beats.any(0) & ~np.isnan(np.diag(np.asarray(p_values, dtype=np.float64)))
    return winners

"""Rank systems while a campaign runs, and estimate the risk that the rest of the campaign changes the ranking.

Systems are ranked by the mean over segments of their mean judgements, and divided into clusters as at WMT: all systems
above a line are significantly better than all below it (Holm-corrected over pairs; the standard errors of differences
come from a paired bootstrap over segments, Efron and Tibshirani 1993).

The risk of stopping is the probability that the campaign, continued as planned, ends with other clusters than now. It
is estimated by simulation: the judged segments are resampled to stand for the population of segments, the missing
judgements are sampled from it, and the clusters of old and new judgements together are compared with the present ones.
The idea is the predictive probability of clinical trials: Spiegelhalter, Freedman and Blackburn (1986), "Monitoring
Clinical Trials: Conditional or Predictive Power?".
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import UsageError
from ..stats.clusters import Ranking, rank
from ..stats.corrections import holm_pairs
from ..stats.intervals import make_intervals
from ..stats.resampling import SEED, draw_weights, exact_columns, resampled_scores, system_scores
from ..types import Floats
from .gold import ratio

FEWEST = 20  # judged segments that every system needs before risks are estimated
ALPHA = 0.05  # of clusters and intervals
RISK = 0.05  # the largest risk at which a campaign can stop


@dataclass(frozen=True)
class SystemRank:
    """One system in the ranking. best: the share of resamples in which no other system has a better score."""

    system: str
    score: float
    low: float
    high: float
    segments: int
    cluster: int
    best: float


@dataclass(frozen=True)
class SystemRanking:
    """All systems, best first, and the risks of stopping now. Risks are NaN if it is too early to estimate them.

    risk: the probability that the complete campaign has other clusters. risk_best: that it has another first cluster.
    """

    places: tuple[SystemRank, ...]
    clusters: int
    risk: float
    risk_best: float
    missing: float  # number of judgements still to come, relative to the number of existing ones
    alpha: float
    resamples: int
    seed: int

    @property
    def can_stop(self) -> bool:
        return self.risk <= RISK


def rank_systems(
    systems: Sequence[str],
    values: Floats,
    *,
    missing: float,
    higher_is_better: bool = True,
    resamples: int = 1000,
    seed: int = SEED,
) -> SystemRanking:
    """Rank systems by means over (segments, systems). missing: judgements to come for each existing one."""
    if values.ndim != 2 or values.shape[1] != len(systems):
        raise UsageError(f"Values of shape {values.shape} do not fit {len(systems)} systems.")
    if missing < 0:
        raise UsageError(f"The share of missing judgements cannot be negative, but is {missing}.")
    judged = ~np.isnan(values)
    if not judged.any(0).all():
        raise UsageError("A system without judgements cannot be ranked.")
    sign = 1.0 if higher_is_better else -1.0
    cube = np.stack([np.where(judged, sign * values, 0.0), judged], axis=-1).transpose(1, 0, 2)
    columns = exact_columns(cube)
    scores = system_scores(_mean, cube)
    samples = resampled_scores(_mean, columns, resamples=resamples, seed=seed)
    intervals = make_intervals(_mean, columns, scores, samples, confidence=1 - ALPHA, seed=seed)
    errors = np.nanstd(samples[:, np.newaxis] - samples, axis=-1, ddof=1)
    ranking = _rank(scores, errors)
    best, segments = (samples == np.nanmax(samples, axis=0)).mean(1), judged.sum(0)
    risks = _risks(cube, errors, ranking, missing=missing, resamples=resamples, seed=seed)
    places = []
    for number in ranking.order:
        low, high = sorted((sign * intervals[number].low, sign * intervals[number].high))
        score, cluster = sign * float(scores[number]), ranking.cluster_of(number) or 0
        places.append(
            SystemRank(systems[number], score, low, high, int(segments[number]), cluster, float(best[number]))
        )
    return SystemRanking(tuple(places), len(ranking.clusters), *risks, missing, ALPHA, resamples, seed)


def _mean(totals: Floats) -> Floats:
    """Return means from sums and counts, shape (..., 2) -> (...), NaN where the count is 0."""
    sums, counts = np.moveaxis(totals, -1, 0)
    return ratio(sums, counts)


def _rank(scores: Floats, errors: Floats) -> Ranking:
    """Cluster systems by two-sided p-values of the normal approximation, Holm-corrected over pairs."""
    apart = np.abs(scores[:, np.newaxis] - scores)
    z = np.divide(apart, errors, out=np.where(apart > 0, np.inf, 0.0), where=errors > 0)
    p = np.array([[math.erfc(value / math.sqrt(2)) for value in row] for row in z.tolist()])
    return rank(scores, holm_pairs(p), higher_is_better=True, alpha=ALPHA)


def _risks(
    cube: Floats, errors: Floats, today: Ranking, *, missing: float, resamples: int, seed: int
) -> tuple[float, float]:
    """Estimate the probability that the complete campaign has other clusters, and another first cluster, than now."""
    n = cube.shape[1]
    if len(cube) < 2 or cube[..., 1].sum(1).min() < FEWEST:
        return math.nan, math.nan
    more = round(n * missing)
    if not more:
        return 0.0, 0.0
    final_errors = errors * math.sqrt(n / (n + more))
    here = [frozenset(cluster) for cluster in today.clusters]
    changed = changed_best = 0
    rng = np.random.default_rng([seed, 8])
    flat = cube.transpose(1, 0, 2).reshape(n, -1)
    for weights in draw_weights(n, resamples, seed=seed + 1):
        drawn = 1 + rng.multinomial(more, weights / n)
        for scores in _mean((drawn @ flat).reshape(len(drawn), len(cube), 2)):
            clusters = [frozenset(cluster) for cluster in _rank(scores, final_errors).clusters]
            changed += clusters != here
            changed_best += clusters[0] != here[0]
    # Add 1 to both sides: a simulated risk is never known to be 0.
    return (changed + 1) / (resamples + 1), (changed_best + 1) / (resamples + 1)

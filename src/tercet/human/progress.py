"""Where systems stand while a campaign runs, and whether the rest of it could still change that.

Systems are ranked by the mean over segments of their mean judgements, with clusters as at WMT: a line is drawn where
all above are significantly better than all below (Holm-corrected over pairs; the standard errors of differences are
those of a paired bootstrap over segments, Efron and Tibshirani 1993).

The risk of stopping is the chance that the campaign, carried on as planned, would end with other clusters than those
there are now. It is found by simulation: a resample of the judged segments stands for the text that segments come
from, the missing judgements are drawn from it, and the clusters of old and new together are compared with today's.
The idea is that of predictive probabilities in clinical trials that are monitored: Spiegelhalter, Freedman and
Blackburn (1986), "Monitoring Clinical Trials: Conditional or Predictive Power?".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import UsageError
from ..stats.clusters import Ranking, rank
from ..stats.corrections import holm_pairs
from ..stats.intervals import make_intervals
from ..stats.resampling import SEED, draw_weights, exact_columns, resampled_scores, system_scores
from .gold import Floats

FEWEST = 20  # judged segments of every system, below which nothing is foretold
RISK = 0.05


@dataclass(frozen=True)
class SystemRank:
    """One system. best: the share of resamples in which no other system's score is better."""

    system: str
    score: float
    low: float
    high: float
    segments: int
    cluster: int
    best: float


@dataclass(frozen=True)
class Standing:
    """All systems, best first, and the risks of stopping now; risks are NaN where it is too early to tell.

    risk: that the whole campaign would end with other clusters. risk_best: with another first cluster.
    """

    places: tuple[SystemRank, ...]
    clusters: int
    risk: float
    risk_best: float
    missing: float  # judgements still to come, as a share of those there are
    alpha: float
    resamples: int
    seed: int

    @property
    def can_stop(self) -> bool:
        return self.risk <= RISK


def stand(
    systems: Sequence[str],
    values: Floats,
    *,
    missing: float,
    higher_is_better: bool = True,
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = SEED,
) -> Standing:
    """The standing from mean judgements, shape (segments, systems), NaN where nobody judged.

    missing: how many judgements are still to come, as a share of those there are; 0 at the end of a campaign.
    """
    if values.ndim != 2 or values.shape[1] != len(systems) or missing < 0:
        raise UsageError(f"Values of shape {values.shape} for {len(systems)} systems, and {missing} still to come.")
    judged = ~np.isnan(values)
    if not judged.any(0).all():
        raise UsageError("A system without any judgement cannot be ranked.")
    sign = 1.0 if higher_is_better else -1.0
    cube = np.stack([np.where(judged, sign * values, 0.0), judged], axis=-1).transpose(1, 0, 2)
    columns = exact_columns(cube)
    scores = system_scores(_mean, cube)
    samples = resampled_scores(_mean, columns, resamples=resamples, seed=seed)
    intervals = make_intervals(_mean, columns, scores, samples, confidence=1 - alpha, seed=seed)
    errors = np.nanstd(samples[:, np.newaxis] - samples, axis=-1, ddof=1)
    ranking = _rank(scores, errors, alpha)
    winners = samples == np.nanmax(samples, axis=0)
    risks = _risks(cube, errors, ranking, missing=missing, resamples=resamples, seed=seed)
    places = tuple(
        SystemRank(
            system=systems[number],
            score=sign * float(scores[number]),
            low=min(sign * intervals[number].low, sign * intervals[number].high),
            high=max(sign * intervals[number].low, sign * intervals[number].high),
            segments=int(judged[:, number].sum()),
            cluster=ranking.cluster_of(number) or 0,
            best=float(winners[number].mean()),
        )
        for number in ranking.order
    )
    return Standing(places, len(ranking.clusters), *risks, missing, alpha, resamples, seed)


def _mean(totals: Floats) -> Floats:
    """From sums and counts; the contract of `tercet.stats`."""
    sums, counts = np.moveaxis(totals, -1, 0)
    means: Floats = np.divide(sums, counts, out=np.full(np.shape(sums), np.nan), where=counts > 0)
    return means


def _rank(scores: Floats, errors: Floats, alpha: float) -> Ranking:
    """Clusters by the normal approximation: two-sided, corrected for the number of pairs."""
    apart = np.abs(scores[:, np.newaxis] - scores)
    z = np.divide(apart, errors, out=np.where(apart > 0, np.inf, 0.0), where=errors > 0)
    p = np.array([[math.erfc(value / math.sqrt(2)) for value in row] for row in z.tolist()])
    return rank(scores, holm_pairs(p), higher_is_better=True, alpha=alpha)


def _risks(
    cube: Floats, errors: Floats, today: Ranking, *, missing: float, resamples: int, seed: int
) -> tuple[float, float]:
    """How likely it is that the end of the campaign has other clusters, and another first cluster, than today."""
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
            clusters = [frozenset(cluster) for cluster in _rank(scores, final_errors, today.alpha).clusters]
            changed += clusters != here
            changed_best += clusters[0] != here[0]
    # One is added on both sides: a risk that was simulated is never known to be 0.
    return (changed + 1) / (resamples + 1), (changed_best + 1) / (resamples + 1)

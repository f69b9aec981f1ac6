"""Evaluate predictions: errors, correlations and quality of the ranking, each with a bootstrap confidence interval.

Root mean squared error (RMSPE in Specia, Cancedda and Dymetman 2010, "A Dataset for Assessing Machine Translation
Evaluation Metrics"), mean absolute error, Pearson's and Spearman's correlation, and DeltaAvg (Callison-Burch et al.
2012, "Findings of the 2012 Workshop on Statistical Machine Translation"). Intervals are percentiles over resamples of
segments, or of groups of segments; all figures use the same resamples.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import DataError, UsageError
from ..learning import SEED
from ..learning.examples import Rows, number_groups
from ..stats.correlation import spearman
from ..stats.correlation_bootstrap import (
    Resampled,
    pearson_of_sums,
    pearson_terms,
    resample_grouped_pearson,
    resample_ratio,
)
from ..stats.intervals import Interval
from ..stats.paired import PairedComparison, paired_bootstrap
from ..stats.resampling import batch_rows, check_draws, check_share, draw_weights
from ..types import Floats
from .conformal import is_covered

_KEPT = 1 << 23  # numbers that DeltaAvg caches for resamples with the same number of segments
Weighted = Callable[[Floats], Floats]  # weights of segments, (rows, n), to values of a statistic, (rows,)


@dataclass(frozen=True)
class Evaluation:
    """Each figure with its interval; NaN where it is undefined, such as a correlation with a constant."""

    pearson: Interval
    spearman: Interval
    rmse: Interval
    mae: Interval
    delta_avg: Interval
    coverage: Interval | None  # of the prediction intervals, if there are any
    n: int  # segments
    groups: int
    level: float
    resamples: int
    seed: int

    def figures(self) -> dict[str, Interval]:
        """Return the figures by name, without coverage if there is none."""
        return {name: each for name, each in vars(self).items() if isinstance(each, Interval)}

    def to_dict(self) -> dict[str, object]:
        """Return the figures by name, with `intervals` and how those were computed."""
        figures = self.figures()
        return {
            **{name: each.value for name, each in figures.items()},
            **{"n": self.n, "groups": self.groups},
            "intervals": {name: [each.low, each.high] for name, each in figures.items()},
            **{"confidence": self.level, "resamples": self.resamples, "seed": self.seed},
        }


def evaluate(
    labels: ArrayLike,
    predictions: ArrayLike,
    *,
    intervals: tuple[ArrayLike, ArrayLike] | None = None,
    groups: Sequence[Hashable] | None = None,
    higher_is_better: bool = True,
    seed: int = SEED,
    resamples: int = 1000,
    level: float = 0.95,
) -> Evaluation:
    """Evaluate predictions, shape (n,), against labels. intervals: for coverage. groups: resampled together."""
    check_draws(resamples, seed)
    check_share("The level", level)
    truth, values = check_pair(labels, predictions)
    numbers = number_groups(groups, len(truth), "segments")
    errors = values - truth
    columns = [errors**2, np.abs(errors)]
    if intervals is not None:
        columns.append(is_covered(truth, *intervals).astype(np.float64))
    # The correlation with a constant is NaN, also in all resamples.
    linear = resample_grouped_pearson(truth, values[np.newaxis], numbers, resamples=resamples, seed=seed)
    means = resample_ratio(_by_group(columns, numbers), resamples=resamples, seed=seed)
    sign = 1 if higher_is_better else -1
    ranked = _resample(
        [_rank_correlation(truth, values), _delta_avg(sign * truth, sign * values)], numbers, resamples, seed
    )
    ranked = Resampled(np.append(spearman(truth, values), ranked.values[1]), ranked.samples, seed, ranked.n)
    squared = Resampled(np.sqrt(means.values[:1]), np.sqrt(means.samples[:1]), seed, means.n)
    absolute, *covered = means.intervals(level)[1:]
    rho, delta = ranked.intervals(level)
    return Evaluation(
        linear.intervals(level)[0], rho, squared.intervals(level)[0], absolute, delta, covered[0] if covered else None,
        n=len(truth), groups=int(numbers.max()) + 1, level=level, resamples=resamples, seed=seed,
    )  # fmt: skip


def compare_pearson(
    labels: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    groups: Sequence[Hashable] | None = None,
    seed: int = SEED,
    resamples: int = 1000,
    level: float = 0.95,
) -> PairedComparison:
    """Test whether the first's correlation with the labels is higher than the second's (paired bootstrap, Koehn 2004).

    `wins` is the share of resamples in which it is higher: the confidence that Specia, Cancedda and Dymetman (2010)
    print below Table 4. Negate a metric that is lower for better outputs before the call.
    """
    truth, one = check_pair(labels, first)
    _, other = check_pair(labels, second)
    numbers = number_groups(groups, len(truth), "segments")
    terms = pearson_terms(truth, np.stack([one, other]))
    sums = np.zeros((2, int(numbers.max()) + 1, terms.shape[2]))
    for of_groups, of_segments in zip(sums, terms, strict=True):
        np.add.at(of_groups, numbers, of_segments)
    return paired_bootstrap(pearson_of_sums, *sums, resamples=resamples, confidence=level, seed=seed)


def check_pair(labels: ArrayLike, predictions: ArrayLike) -> tuple[Floats, Floats]:
    """Return both as float64, shape (n,), or raise an error that says what is wrong."""
    truth, values = np.asarray(labels, dtype=np.float64), np.asarray(predictions, dtype=np.float64)
    if truth.ndim != 1 or truth.shape != values.shape:
        raise UsageError(f"Labels have shape {truth.shape}, but predictions have shape {values.shape}.")
    if not truth.size:
        raise DataError("There are no segments to evaluate on.")
    for what, part in (("label", truth), ("prediction", values)):
        bad = np.flatnonzero(~np.isfinite(part))
        if len(bad):
            raise DataError(f"The {what} of segment {bad[0] + 1} is {part[bad[0]]}: every segment needs a number.")
    return truth, values


def _by_group(columns: list[Floats], numbers: Rows) -> Floats:
    """Return the sum of each column and the number of segments by group, shape (columns, groups, 2)."""
    counts = np.bincount(numbers).astype(np.float64)
    return np.stack([np.stack([np.bincount(numbers, column), counts], axis=-1) for column in columns])


def _resample(statistics: list[Weighted], numbers: Rows, resamples: int, seed: int) -> Resampled:
    """Compute statistics on the data and on resamples of groups, the same resamples as in `tercet.stats`."""
    groups = int(numbers.max()) + 1
    batches = draw_weights(groups, resamples, seed=seed, rows=batch_rows(len(numbers)))
    samples = [[statistic(weights[:, numbers]) for statistic in statistics] for weights in batches]
    values = [statistic(np.ones((1, len(numbers))))[0] for statistic in statistics]
    return Resampled(np.array(values), np.concatenate(samples, axis=1), seed, groups)


def _runs(series: Floats) -> tuple[Rows, Weighted]:
    """Return the number of each segment's run of equal values, and a function for sums: (rows, n) to (rows, runs)."""
    values, run_of = np.unique(series, return_inverse=True)
    order = np.argsort(run_of, kind="stable")
    starts = np.searchsorted(run_of[order], np.arange(len(values)))
    return run_of, lambda weights: np.add.reduceat(weights[:, order], starts, axis=1)


def _rank_correlation(first: Floats, second: Floats) -> Weighted:
    """Return a function for Spearman's rho of weighted segments: a weight is how often the segment occurs."""
    series = [_runs(first), _runs(second)]

    def statistic(weights: Floats) -> Floats:
        ranks = []
        for run_of, sums in series:
            sizes = sums(weights)
            middle = np.cumsum(sizes, axis=1) - sizes / 2  # minus half the number of segments: the mean is 0
            ranks.append((middle - weights.sum(1, keepdims=True) / 2)[:, run_of])
        x, y = ranks
        xx, yy, xy = ((weights * product).sum(1) for product in (x * x, y * y, x * y))
        with np.errstate(divide="ignore", invalid="ignore"):
            rho: Floats = xy / np.sqrt(xx * yy)
        return rho.clip(-1, 1)

    return statistic


def _delta_avg(labels: Floats, predictions: Floats) -> Weighted:
    """Return a function of weights for DeltaAvg: how much better the top-ranked segments are than the average one.

    The ranking is cut into n parts of floor(N / n) segments; the last part takes the rest. DeltaAvg[n] is the mean
    label of the first part, of the first two, ... of the first n - 1, averaged, minus the mean label of all. DeltaAvg
    is the mean over n = 2 ... floor(N / 2). Higher labels are better, higher predictions rank first. Segments with the
    same prediction each count with their mean label, which is the expectation over all orders of them. The result is
    NaN for fewer than four segments.
    """
    _, sums = _runs(-predictions)  # the best first
    shares: dict[int, Floats] = {}  # by number of segments, which differs where groups are resampled

    def statistic(weights: Floats) -> Floats:
        sizes = sums(weights)
        totals = sums(weights * labels)
        means = np.divide(totals, sizes, out=np.zeros_like(totals), where=sizes > 0)
        ends = np.cumsum(sizes, axis=1).astype(np.int64)
        starts = ends - sizes.astype(np.int64)
        values = np.empty(len(weights))
        for row, n in enumerate(ends[:, -1].tolist()):
            if n not in shares:
                if len(shares) * n > _KEPT:
                    shares.clear()
                shares[n] = _cumulative_shares(n)
            values[row] = (means[row] * (shares[n][ends[row]] - shares[n][starts[row]])).sum()
        return values

    return statistic


def _cumulative_shares(n: int) -> Floats:
    """Return the sums of the weights of the first 0, 1, ... n places: DeltaAvg is a weighted sum of ranked labels."""
    most = n // 2
    if most < 2:
        return np.full(n + 1, np.nan)
    heads = np.zeros(n + 1)  # the weight of the mean of the first h segments
    for parts in range(2, most + 1):
        size = n // parts
        heads[size : parts * size : size] += 1 / ((parts - 1) * (most - 1))
    each = np.zeros(n + 1)
    each[1:] = heads[1:] / np.arange(1, n + 1)
    places = each[::-1].cumsum()[::-1][1:] - 1 / n  # a place has a share in the means of all heads that include it
    return np.append(0.0, np.cumsum(places))

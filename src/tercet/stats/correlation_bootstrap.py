"""Bootstrap intervals of correlations and of tau.

The unit that is resampled determines what the interval means: systems or segments (Deutsch, Dror and Roth 2021, "A
Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods", TACL), pairs of outputs (tau in the
WMT metrics tasks), or the judgements behind the gold scores (system level in Machacek and Bojar 2014, "Results of the
WMT14 Metrics Shared Task"). All metrics share the resamples, so that their differences are paired. Bounds are
percentiles, as in those papers; the number that WMT14 prints after ±, the mean distance of a value to its two bounds,
is `Interval.half_width`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError, UnknownName, UsageError
from ..types import Floats
from .correlation import CORRELATIONS, Correlation, is_constant_series
from .intervals import Interval, spread
from .resampling import (
    SEED,
    TOLERANCE,
    Score,
    batch_rows,
    check_cube,
    check_draws,
    check_share,
    draw_weights,
    evaluate,
    exact_columns,
    resampled_scores,
)
from .tau import tau_ratio

UNITS = ("systems", "segments")
Statistic = str | Correlation  # the name of one in `CORRELATIONS`, or a function like them


@dataclass(frozen=True, eq=False)
class Resampled:
    """A statistic of all metrics, on the data and on resamples that all metrics share."""

    values: Floats  # (metrics,)
    samples: Floats  # (metrics, resamples)
    seed: int
    n: int  # number of units that are resampled

    def intervals(self, confidence: float = 0.95) -> tuple[Interval, ...]:
        """Return the interval of each metric. Resamples without a value are left out; too many make bounds NaN."""
        check_share("The confidence", confidence)
        return tuple(
            Interval(
                float(value), *self._spread(value, drawn, confidence), confidence, "percentile", len(drawn), self.seed,
                self.n,
            )
            for value, drawn in zip(self.values, self.samples, strict=True)
        )  # fmt: skip

    def _spread(self, value: float, drawn: Floats, confidence: float) -> tuple[float, float, float, float]:
        """Return low bound, high bound, mean and standard error of the resampled values of one metric."""
        defined = drawn[~np.isnan(drawn)]
        left_out = 1 - len(defined) / len(drawn)
        if self.n < 2 or np.isnan(value) or left_out >= (1 - confidence) / 2:
            return np.nan, np.nan, np.nan, np.nan
        return spread(float(value), float(value), defined, confidence, scale=1.0)  # the scale of correlations


def separate(intervals: Sequence[Interval]) -> NDArray[np.bool_]:
    """Return whether the row's interval lies entirely above the column's, shape (metrics, metrics): WMT19's rule."""
    low, high = (np.array([getattr(x, bound) for x in intervals], dtype=np.float64) for bound in ("low", "high"))
    above: NDArray[np.bool_] = low[:, np.newaxis] > high
    return above


def find_statistic(statistic: Statistic) -> Correlation:
    """Return the correlation function of this name; a function is returned unchanged."""
    if not isinstance(statistic, str):
        return statistic
    if statistic not in CORRELATIONS:
        raise UnknownName("statistic", statistic, CORRELATIONS)
    return CORRELATIONS[statistic]


def check_scores(gold: ArrayLike, metrics: ArrayLike) -> tuple[Floats, Floats]:
    """Return gold and metric scores as float64; raise UsageError if their shapes do not match."""
    people, scores = np.asarray(gold, dtype=np.float64), np.asarray(metrics, dtype=np.float64)
    same = scores.ndim in (2, 3) and people.ndim in (1, 2) and scores.shape[1 : 1 + people.ndim] == people.shape
    if not same:
        raise UsageError(f"Gold scores of shape {people.shape} do not match metrics of shape {scores.shape}.")
    if not scores.size:
        raise DataError(f"There are no scores to correlate: the metrics have shape {scores.shape}.")
    return people, scores


def system_means(gold: Floats) -> Floats:
    """Return gold scores by system, shape (systems,): means over the segments that were judged (not NaN)."""
    return gold if gold.ndim == 1 else mean_defined(gold)


def mean_defined(values: Floats) -> Floats:
    """Return the means over the last axis without NaN; NaN if nothing is left."""
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(defined, values, 0).sum(-1) / defined.sum(-1)
    return means


def resample_correlations(
    statistic: Statistic, gold: ArrayLike, metrics: ArrayLike, *, unit: str = "systems", resamples: int = 1000,
    seed: int = SEED,
) -> Resampled:  # fmt: skip
    """Return the correlation of each metric with the gold scores, on resamples of systems or of segments.

    `gold` has shape (systems,) or (systems, segments), NaN where nobody judged; `metrics` has shape (metrics, systems)
    or (metrics, systems, segments). A system's score is its mean over segments. With unit="segments" the mean is over
    the resampled segments, for metrics and, if it has segments, for gold. With unit="systems" and no segments,
    "systems" may be any scored items.
    """
    check_draws(resamples, seed)
    people, scores = check_scores(gold, metrics)
    function = find_statistic(statistic)
    if unit not in UNITS:
        raise UnknownName("unit to resample", unit, UNITS)
    if unit == "segments":
        if scores.ndim == 2:
            raise UsageError("To resample segments, metrics must have the shape (metrics, systems, segments).")
        cube, score = _segment_sums(function, people, scores)
        return _resampled_sums(score, cube, resamples, seed)
    people, scores = system_means(people), scores if scores.ndim == 2 else scores.mean(2)
    values = function(scores, people)
    if function is CORRELATIONS["pearson"]:
        columns = exact_columns(pearson_terms(people, scores))
        samples = resampled_scores(pearson_of_sums, columns, resamples=resamples, seed=seed)
    else:
        items, batches = np.arange(len(people)), []
        for weights in draw_weights(len(people), resamples, seed=seed, rows=batch_rows(scores.size), dtype=np.int64):
            drawn = np.repeat(np.tile(items, len(weights)), weights.ravel()).reshape(weights.shape)
            batches.append(function(scores[:, drawn], people[drawn]))
        samples = np.concatenate(batches, axis=1)
    return Resampled(values, samples, seed, len(people))


def pearson_terms(gold: Floats, metrics: Floats) -> Floats:
    """Return standardised terms for `pearson_of_sums`, shape (metrics, items, 6): 1, x, y, xx, yy, xy."""
    x, y = standardised(metrics), np.broadcast_to(standardised(gold), metrics.shape)
    return np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=-1)


def pearson_of_sums(sums: Floats) -> Floats:
    """Return Pearson's r from sums of `pearson_terms`, shape (..., 6) -> (...)."""
    n, sx, sy, sxx, syy, sxy = np.moveaxis(sums, -1, 0)
    vx, vy = sxx - sx * sx / n, syy - sy * sy / n
    # If all resampled items are the same, the variance is 0 up to noise, which grows with the number of items.
    varies = (vx > TOLERANCE * n) & (vy > TOLERANCE * n)
    r: Floats = (sxy - sx * sy / n) / np.sqrt(np.where(varies, vx * vy, np.nan))
    return r.clip(-1, 1)


def standardised(x: Floats) -> Floats:
    """Return x with mean 0 and variance 1 along the last axis; NaN where a series is constant."""
    with np.errstate(divide="ignore", invalid="ignore"):
        deviations = x - x.mean(-1, keepdims=True)
        result: Floats = deviations / deviations.std(-1, keepdims=True)
    return np.where(is_constant_series(x)[..., np.newaxis], np.nan, result)


def _segment_sums(function: Correlation, gold: Floats, metrics: Floats) -> tuple[Floats, Score]:
    """Return counts to sum over segments, shape (metrics, segments, k), and the function that scores the sums."""
    count, systems, segments = metrics.shape
    cube = metrics.swapaxes(1, 2)
    if gold.ndim == 1:
        return cube, lambda sums: function(sums / segments, gold)
    judged = ~np.isnan(gold)
    people = np.concatenate([np.where(judged, gold, 0), judged]).T  # (segments, 2 * systems)

    def score(sums: Floats) -> Floats:
        scores, values, numbers = sums[..., :systems], sums[..., systems : 2 * systems], sums[..., 2 * systems :]
        return function(scores / segments, values / numbers)

    return np.concatenate([cube, np.broadcast_to(people, (count, *people.shape))], axis=2), score


def resample_ratio(columns: ArrayLike, *, resamples: int = 1000, seed: int = SEED) -> Resampled:
    """Return the ratio of two sums, such as tau, of each metric, on resamples of the units that are summed.

    `columns` has shape (metrics, units, 2). A unit is a pair or a group of pairs; with a value and 1, the ratio is a
    mean.
    """
    check_draws(resamples, seed)
    cube = check_cube(columns)
    if cube.shape[2] != 2:
        raise UsageError(f"The columns of a ratio must have the shape (metrics, units, 2), not {cube.shape}.")
    return _resampled_sums(tau_ratio, cube, resamples, seed)


def _resampled_sums(score: Score, cube: Floats, resamples: int, seed: int) -> Resampled:
    """Return a score of sums on resamples of the units that are summed; the cube is (metrics, units, k)."""
    columns = exact_columns(cube)
    samples = resampled_scores(score, columns, resamples=resamples, seed=seed)
    return Resampled(evaluate(score, columns.totals), samples, seed, cube.shape[1])


def resample_grouped_pearson(
    gold: ArrayLike, metrics: ArrayLike, groups: ArrayLike, *, resamples: int = 1000, seed: int = SEED
) -> Resampled:
    """Return Pearson's r over items, on resamples of groups of items, such as the outputs of a segment."""
    check_draws(resamples, seed)
    people, scores = check_scores(gold, metrics)
    if np.shape(groups) != people.shape:
        raise UsageError(f"There must be one group for each of the {people.size} items, not {np.shape(groups)}.")
    numbers = np.unique(groups, return_inverse=True)[1]
    cube = np.zeros((len(scores), int(numbers.max()) + 1, 6))
    for sums, rows in zip(cube, pearson_terms(people, scores), strict=True):
        np.add.at(sums, numbers, rows)
    samples = resampled_scores(pearson_of_sums, exact_columns(cube), resamples=resamples, seed=seed)
    return Resampled(CORRELATIONS["pearson"](scores, people), samples, seed, cube.shape[1])


def resample_judgements(
    statistic: Statistic, values: ArrayLike, systems: ArrayLike, metrics: ArrayLike, *, items: ArrayLike | None = None,
    units: ArrayLike | None = None, resamples: int = 1000, seed: int = SEED,
) -> Resampled:  # fmt: skip
    """Return the correlation of each metric with the gold scores, on resamples of judgements; systems do not change.

    `values`, shape (judgements,), are ratings of the systems numbered in `systems`, or outcomes: 1 for the winner of a
    comparison, 0 for the loser. A system's gold score is the mean of its values or, with `items`, shape (judgements,),
    the mean over items of the means of their values. Items may be segments, as WMT averages ratings, or opponents,
    which gives expected wins. `units`, shape (judgements,), says which judgements are resampled together, such as the
    two sides of a comparison; by default each is a unit. `metrics` has shape (metrics, systems).
    """
    check_draws(resamples, seed)
    function = find_statistic(statistic)
    ratings, codes = np.asarray(values, dtype=np.float64), np.asarray(systems)
    scores = np.asarray(metrics, dtype=np.float64)
    if ratings.ndim != 1 or codes.shape != ratings.shape or scores.ndim != 2:
        raise UsageError(
            f"Judgements of shape {ratings.shape} do not match systems of shape {codes.shape} and metrics of shape "
            f"{scores.shape}: they must be (judgements,), (judgements,) and (metrics, systems)."
        )
    numbers = _numbered("unit", units, len(ratings))
    of_items = np.zeros_like(numbers) if items is None else _numbered("item", items, len(ratings))
    order, cells, starts = _by_system(codes, of_items, scores.shape[1])
    ratings, numbers = ratings[order], numbers[order]

    def correlate(weights: Floats) -> Floats:
        mine = weights[:, numbers]
        drawn = np.add.reduceat(mine, cells, axis=1)
        sums = np.add.reduceat(mine * ratings, cells, axis=1)
        means = np.divide(sums, drawn, out=np.zeros_like(sums), where=drawn > 0)
        with np.errstate(invalid="ignore"):  # a system without a resampled judgement
            of_systems = np.add.reduceat(means, starts, axis=1) / np.add.reduceat(1.0 * (drawn > 0), starts, axis=1)
        return function(scores[:, np.newaxis], of_systems)

    n = int(numbers.max()) + 1
    batches = draw_weights(n, resamples, seed=seed, rows=batch_rows(max(len(ratings), scores.size)))
    return Resampled(
        correlate(np.ones((1, n)))[:, 0], np.concatenate([correlate(batch) for batch in batches], axis=1), seed, n
    )


def _numbered(what: str, given: ArrayLike | None, rows: int) -> NDArray[np.int64]:
    """Return the number of each judgement's unit or item, from 0."""
    if given is None:
        return np.arange(rows)
    names = np.asarray(given)
    if names.shape != (rows,):
        raise UsageError(
            f"There must be one {what} for each of the {rows} judgements, not {what}s of shape {names.shape}."
        )
    numbers: NDArray[np.int64] = np.unique(names, return_inverse=True)[1]
    return numbers


def _by_system(
    codes: NDArray[np.int64], items: NDArray[np.int64], systems: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the order that sorts judgements by system and item, the starts of items, and of systems among items."""
    if not np.issubdtype(codes.dtype, np.integer) or (codes < 0).any() or (codes >= systems).any():
        raise UsageError(f"Systems must be numbered from 0 to {systems - 1}, like the columns of the metrics.")
    missing = np.flatnonzero(np.bincount(codes, minlength=systems) == 0)
    if len(missing):
        raise DataError(f"System number {missing[0]} (from 0) has no judgements, and so no gold score.")
    order = np.lexsort((items, codes))
    of_system, of_item = codes[order], items[order]
    begins = np.append(True, (of_system[1:] != of_system[:-1]) | (of_item[1:] != of_item[:-1]))
    cells = np.flatnonzero(begins)
    return order, cells, np.searchsorted(of_system[cells], np.arange(systems))

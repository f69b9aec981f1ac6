"""Permutation tests of whether one metric correlates better with people than another.

Deutsch, Dror and Roth (2021), "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods",
TACL. Under the null hypothesis the scores of two metrics, both standardised, are exchangeable: they are exchanged for
random inputs (here segments: PERM-INPUTS), for random systems (PERM-SYSTEMS), or first for the one and then for the
other (PERM-BOTH: a score that is exchanged twice stays).

Exchanging segments, alone or with systems, is valid if under the null hypothesis metrics differ from segment to
segment. If each metric has a constant bias for single systems, the exchange averages the biases out, and equally good
metrics are found to differ too often: at level .05 in 14 % of simulated cases. PERM-SYSTEMS keeps its level in this
case too.

All pairs of metrics share the exchanges. One is added to numerator and denominator of a p-value, as in `paired`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UnknownName, UsageError
from ..types import Floats
from .correlation import CORRELATIONS, Correlation, is_constant_series
from .correlation_bootstrap import Statistic, check_scores, find_statistic, mean_defined, standardised, system_means
from .resampling import SEED, TOLERANCE, batch_rows, check_draws, draw_swaps, exact_columns, swapped_sums

KINDS = ("perm-inputs", "perm-systems", "perm-both")
LEVELS = ("system", "segment", "global")
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Permutations:
    """The tests of all pairs of metrics, shape (metrics, metrics): metric i against j; NaN if undefined."""

    kind: str
    level: str
    two_sided: bool
    values: Floats  # (metrics,), correlations
    difference: Floats  # values[i] - values[j]
    p_value: Floats
    resamples: int
    seed: int
    systems: int
    segments: int


def permutation_test(
    gold: ArrayLike, metrics: ArrayLike, *, kind: str = "perm-both", statistic: Statistic = "pearson",
    level: str = "system", two_sided: bool = False, resamples: int = 1000, seed: int = SEED,
) -> Permutations:  # fmt: skip
    """Test every metric against every other; `metrics` has shape (metrics, systems, segments), higher is better.

    level="system" correlates means over segments; "segment" takes the mean over segments of the correlation over
    systems (the paper's summary level; segments where it is undefined are left out); "global" correlates all scores at
    once. `gold` has shape (systems, segments), NaN where nobody judged, or at system level also (systems,). Statistics
    other than Pearson's r are slow except at system level.
    """
    check_draws(resamples, seed)
    for what, name, known in (("permutation test", kind, KINDS), ("level", level, LEVELS)):
        if name not in known:
            raise UnknownName(what, name, known)
    function = find_statistic(statistic)
    people, scores = check_scores(gold, metrics)
    if scores.ndim == 2 or (people.ndim == 1 and level != "system"):
        raise UsageError(
            f"A permutation test at {level} level needs scores of segments, not metrics of shape {scores.shape} with "
            f"gold scores of shape {people.shape}."
        )
    # Outputs that nobody judged need no score, except that a system's mean is over all of its segments.
    counted = np.ones(scores.shape[1:], dtype=bool) if level == "system" else ~np.isnan(people)
    scores = scores.copy()
    scores[:, counted] = standardised(scores[:, counted])
    if level == "system":
        batches = _system_level(function, system_means(people), scores, kind, resamples, seed)
    else:
        groups = _make_groups(people, scores, by_segment=level == "segment")
        batches = _cell_level(function, groups, people.shape, kind, resamples, seed)
    values = np.diag(next(batches)[0]).copy()  # the first batch has no exchanges
    difference = values[:, np.newaxis] - values
    observed = np.abs(difference) if two_sided else difference
    hits = np.zeros(observed.shape, dtype=np.int64)
    defined = difference.copy()  # becomes NaN if any value is, because comparisons with NaN would make p too small
    for correlations in batches:
        swapped = correlations - correlations.swapaxes(1, 2)
        defined += swapped.sum(0)
        # Correlations that are equal up to rounding noise are ties.
        hits += ((np.abs(swapped) if two_sided else swapped) >= observed - TOLERANCE).sum(0)
    p = np.where(np.isnan(defined), np.nan, (1 + hits) / (1 + resamples))
    _, systems, segments = scores.shape
    return Permutations(kind, level, two_sided, values, difference, p, resamples, seed, systems, segments)


def _system_swaps(kind: str, systems: int, resamples: int, seed: int) -> Bools:
    """Return which systems are exchanged, shape (resamples, systems)."""
    if kind == "perm-inputs":
        return np.zeros((resamples, systems), dtype=bool)
    own = int(np.random.SeedSequence((seed, 1)).generate_state(1)[0])  # independent of the exchange of segments
    return np.concatenate(list(draw_swaps(systems, resamples, seed=own, dtype=bool)))


def _system_level(
    function: Correlation, gold: Floats, metrics: Floats, kind: str, resamples: int, seed: int
) -> Iterator[Floats]:
    """Yield correlations, (rows, metrics, metrics), of metric i that exchanges scores with j; first without."""
    _, systems, segments = metrics.shape
    columns = exact_columns(metrics.swapaxes(1, 2))
    totals = columns.totals / segments  # (metrics, systems)

    def correlations(given: Floats) -> Floats:
        kept = totals - given
        if function is CORRELATIONS["pearson"]:
            return _pearson_of_parts(kept, given, gold)
        return function(kept[:, :, np.newaxis] + given[:, np.newaxis], gold)

    yield correlations(np.zeros((1, *totals.shape)))
    swaps = _system_swaps(kind, systems, resamples, seed)
    height, done = batch_rows(len(metrics) * totals.size), 0
    if kind == "perm-systems":  # no segments are exchanged
        rows = batch_rows(totals.size)
        sizes = (min(rows, resamples - start) for start in range(0, resamples, rows))
        of_segments: Iterator[Floats] = (np.zeros((size, *totals.shape)) for size in sizes)
    else:
        of_segments = swapped_sums(columns, trials=resamples, seed=seed)
    for sums in of_segments:  # shape (rows, metrics, systems)
        swap = swaps[done : done + len(sums), np.newaxis]
        done += len(sums)
        given = np.where(swap, totals - sums / segments, sums / segments)
        for start in range(0, len(given), height):
            yield correlations(given[start : start + height])


def _pearson_of_parts(kept: Floats, given: Floats, gold: Floats) -> Floats:
    """Return Pearson's r of kept[i] + given[j] with gold for all i and j; both parts have shape (rows, m, systems)."""
    k, g, z = (part - part.mean(-1, keepdims=True) for part in (kept, given, gold))
    if is_constant_series(gold):
        z = np.full_like(z, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        covariance = (k @ z)[:, :, np.newaxis] + (g @ z)[:, np.newaxis]
        parts = (k * k).sum(-1)[:, :, np.newaxis] + (g * g).sum(-1)[:, np.newaxis]
        squares = parts + 2 * k @ g.swapaxes(1, 2)
        squares[squares <= TOLERANCE * parts] = np.nan  # where the parts cancel, only noise is left
        r: Floats = covariance / np.sqrt(squares * (z @ z))
    return r.clip(-1, 1)


@dataclass(frozen=True, eq=False)
class _Groups:
    """Judged scores in groups that are correlated separately: one group for each segment, or a single group."""

    gold: Floats  # (scores,)
    metrics: Floats  # (metrics, scores)
    starts: NDArray[np.int64]  # where groups begin
    cells: NDArray[np.int64]  # positions of the scores in (systems, segments)

    def correlate(self, function: Correlation, swap: Bools) -> Floats:
        """Return the mean correlation over groups, shape (metrics, metrics), of i with scores exchanged with j."""
        if not len(self.starts):
            return np.full((len(self.metrics), len(self.metrics)), np.nan)
        by_group = self._pearson if function is CORRELATIONS["pearson"] else partial(self._any, function)
        return np.stack([mean_defined(r) for r in by_group(swap)])

    def _pearson(self, swap: Bools) -> Iterator[Floats]:
        """Yield for each i the correlations, shape (metrics, groups), from sums of kept and of received scores."""
        sizes = np.diff([*self.starts, len(self.gold)])
        z = self.gold - np.repeat(np.add.reduceat(self.gold, self.starts) / sizes, sizes)
        norms = np.sqrt(np.add.reduceat(z * z, self.starts))
        kept, given = (
            [np.add.reduceat(part, self.starts, axis=1) for part in (x, x * x, x * z)]
            for x in (np.where(swap, 0, self.metrics), np.where(swap, self.metrics, 0))
        )
        for i in range(len(self.metrics)):
            sums, squares, products = (mine[i] + yours for mine, yours in zip(kept, given, strict=True))
            variance = squares - sums * sums / sizes
            variance[variance <= TOLERANCE * squares] = np.nan  # all scores of the group are equal
            r: Floats = products / (np.sqrt(variance) * norms)
            yield r.clip(-1, 1)

    def _any(self, function: Correlation, swap: Bools) -> Iterator[Floats]:
        parts = np.split(self.gold, self.starts[1:])
        for own in self.metrics:
            scores = np.split(np.where(swap, self.metrics, own), self.starts[1:], axis=1)
            yield np.stack([function(x, y) for x, y in zip(scores, parts, strict=True)], axis=-1)


def _make_groups(gold: Floats, metrics: Floats, *, by_segment: bool) -> _Groups:
    """Return the judged scores in groups, without segments in which all gold scores are equal."""
    numbers = np.arange(gold.size).reshape(gold.shape)
    judged = ~np.isnan(gold)
    groups = [numbers[judged[:, j], j] for j in range(gold.shape[1])] if by_segment else [numbers[judged]]
    groups = [cells for cells in groups if not is_constant_series(gold.ravel()[cells])]
    cells = np.concatenate([*groups, np.empty(0, dtype=np.int64)])
    starts = np.cumsum([0, *map(len, groups)])[:-1]
    return _Groups(gold.ravel()[cells], metrics.reshape(len(metrics), -1)[:, cells], starts, cells)


def _cell_level(
    function: Correlation, groups: _Groups, shape: tuple[int, int], kind: str, resamples: int, seed: int
) -> Iterator[Floats]:
    """Yield the same as `_system_level`, for correlations of single scores; one resample at a time."""
    systems, segments = shape
    nothing = np.zeros(segments, dtype=bool)
    yield groups.correlate(function, np.zeros(len(groups.cells), dtype=bool))[np.newaxis]
    rows = _system_swaps(kind, systems, resamples, seed)
    if kind == "perm-systems":
        columns: Iterator[Bools] = (nothing for _ in range(resamples))
    else:
        columns = (row for batch in draw_swaps(segments, resamples, seed=seed, dtype=bool) for row in batch)
    for row, column in zip(rows, columns, strict=True):
        swap = row[:, np.newaxis] ^ column
        yield groups.correlate(function, swap.ravel()[groups.cells])[np.newaxis]

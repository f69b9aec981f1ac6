"""`compare_texts`: which systems differ, by how much, how surely, and which segments make the difference.

Intervals and tests are those of `stats` (Koehn 2004, "Statistical Significance Tests for Machine Translation
Evaluation"; Riezler and Maxwell 2005, "On Some Pitfalls in Automatic Evaluation and Significance Testing for MT"),
corrected for the number of comparisons per metric and test (Holm 1979).
"""

from collections.abc import Sequence
from math import floor, isnan, log10, nan
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.scores import MetricRecord, Scores
from ..data.stream import TextFiles
from ..data.testset import TestSet
from ..errors import DataError, UsageError
from ..metrics import Metric
from ..scoring import check_texts, score, sum_counts
from ..slicing import segment_groups
from ..stats import compare_all, detectable_difference, holm_pairs, rank
from ..stats.paired import smallest_p_value
from ..stats.resampling import TOLERANCE, evaluate
from ..types import Floats
from .buckets import segment_buckets, slice_scores, take_segments
from .plan import Plan
from .results import Comparison, Deciding, MetricResult, PairResult, Segment, SystemResult, add_texts
from .words import check_segments

POWER = 0.8
SHARE = 0.8  # of a difference, that the segments counted in `Deciding` make
BLOCK = 1 << 16  # segments whose scores are computed at once


def compare_texts(
    testset: TestSet | TextFiles,
    metrics: Sequence[str | Metric] | str | Metric,
    plan: Plan,
    scores: Sequence[Scores] = (),
    **where: object,
) -> Comparison:
    """Score a test set by the metrics and compare its systems, also by `scores`. where: options of `score`."""
    check_texts(testset)
    plan = plan.for_systems(testset.systems, f"Test set {testset.name!r}")
    if not metrics and not scores:
        raise UsageError('A comparison needs a metric, as ["bleu"].')
    if isinstance(testset, TextFiles):
        if testset.rereadable() and not (plan.needs_texts or scores):
            counted = score(testset, metrics, **where)
            plan = plan.settled(len(testset.systems), counted[0].n_segments)
            return add_texts(_compared(plan, counted, None), testset)
        testset = testset.read()
    plan = plan.settled(len(testset.systems), len(check_segments(plan.segments, len(testset))))
    for by in plan.slices:
        segment_groups(by, testset, testset.documents)
    computed: Sequence[Scores] = score(testset, metrics, **where) if metrics else ()
    return _compared(plan, [*computed, *_checked(plan, scores, testset)], testset)


def compare_scores(
    scores: Sequence[Scores], *, testset: TestSet | None = None, plan: Plan | None = None, **options: Any
) -> Comparison:
    """Compare systems by scores kept with their counts. plan: or its fields as options. testset: shows texts."""
    plan = Plan(**options) if plan is None else plan
    if not scores:
        raise UsageError("There are no scores to compare.")
    checked = _checked(plan, scores, testset)
    plan = plan.for_systems(scores[0].systems, scores[0].label)
    plan = plan.settled(
        len(scores[0].systems), min(len(check_segments(plan.segments, item.n_segments)) for item in scores)
    )
    return _compared(plan, checked, testset)


def _checked(plan: Plan, scores: Sequence[Scores], testset: TestSet | None) -> Sequence[Scores]:
    for item in scores:
        plan.for_systems(item.systems, item.label)
        if not item.segment and not item.counts:
            raise DataError(f"{item.label} has scores of whole systems only; a comparison needs scores of segments.")
        if testset is not None and len(testset) != item.n_segments:
            raise UsageError(f"{item.label} has {item.n_segments} segments, and the test set has {len(testset)}.")
    return scores


def _compared(plan: Plan, scores: Sequence[Scores], testset: TestSet | None) -> Comparison:
    numbers = [check_segments(plan.segments, item.n_segments) for item in scores]
    if plan.segments is not None:
        scores = [take_segments(item, each) for item, each in zip(scores, numbers, strict=True)]
        testset = None if testset is None else testset.take([number - 1 for number in numbers[0]])
    works = (_Work(plan, item, testset, each) for item, each in zip(scores, numbers, strict=True))
    return Comparison(
        metrics=tuple(work.result() for work in works),
        tests=tuple(plan.tests),
        resamples={test: plan.resamples_of(test) for test in plan.tests},
        raised=tuple(plan.raised),
        seed=plan.seed,
        alpha=plan.alpha,
        confidence=plan.confidence,
        baseline=plan.baseline,
    )


class _Work:
    """The comparison by one metric, under way."""

    def __init__(self, plan: Plan, scores: Scores, testset: TestSet | None, numbers: Sequence[int]) -> None:
        metric = scores.metric
        self.numbers = numbers  # of the segments, from 1
        self.plan, self.scores, self.metric, self.testset = plan, scores, metric, testset
        self.systems = scores.systems
        self.cube = scores.cube
        self.totals = np.stack([sum_counts(counts) for counts in self.cube])
        kept = scores.segment or {system: metric.segment_scores(counts) for system, counts in scores.counts.items()}
        self.segment = [kept[system] for system in self.systems]
        self.without = [_without_each(metric, t, c) for t, c in zip(self.totals, self.cube, strict=True)]
        both = "bootstrap" in plan.tests
        self.tests = {
            test: compare_all(
                metric.score,
                self.cube,
                test=test,
                resamples=plan.resamples_of(test),
                interval_resamples=0 if both else plan.interval_resamples,
                confidence=plan.confidence,
                seed=plan.seed,
                baseline=None if plan.baseline is None else self.systems.index(plan.baseline),
            )
            for test in plan.tests
        }
        self.holm = {test: holm_pairs(found.p_value) for test, found in self.tests.items()}
        decisive = plan.decisive(scores.n_segments)
        self.smallest_p = smallest_p_value(decisive, scores.n_segments, plan.resamples_of(decisive))
        # The interval of a difference is the bootstrap's, whichever test decides.
        self.intervals = self.tests.get("bootstrap", self.tests[plan.tests[0]])

    def result(self) -> MetricResult:
        plan, scores = self.plan, self.scores
        # Against a baseline the baseline comes second: a positive difference is a higher score than the baseline's.
        numbers = self.intervals.pairs if plan.baseline is None else tuple((j, i) for i, j in self.intervals.pairs)
        pairs = tuple(self._pair(i, j) for i, j in numbers)
        systems, clusters = self._ranked(complete=len(pairs) == len(self.systems) * (len(self.systems) - 1) // 2)
        varying = [pair.mde for pair in pairs if not isnan(pair.mde)]
        errors = [self.intervals.standard_error[i, j] for i, j in numbers]
        mde = median(varying) if varying else nan
        how = (self.testset, self.numbers, plan)
        buckets = (segment_buckets(scores, by, *how) for by in plan.buckets)
        return MetricResult(
            metric=scores.metric.names[0],
            name=scores.label,
            signature=scores.signature,
            higher_is_better=scores.higher_is_better,
            n_segments=scores.n_segments,
            systems=systems,
            pairs=pairs,
            clusters=clusters,
            mde=mde,
            mde_sentence=_power_sentence(
                scores.label, scores.n_segments, mde, len(varying), plan.alpha, undefined=bool(np.isnan(errors).any())
            )
            if self.can_find
            else f"No difference can be significant: the smallest p-value that is possible is {self.smallest_p:.2g}.",
            slices=tuple(part for by in plan.slices for part in slice_scores(scores, by, *how)),
            buckets=tuple(filter(None, buckets)),
            record=scores.metric,
        )

    def _ranked(self, *, complete: bool) -> tuple[tuple[SystemResult, ...], tuple[tuple[str, ...], ...]]:
        """Systems with intervals and, if all pairs were compared, clusters by corrected p-values."""
        plan, values = self.plan, [self.scores.system[system] for system in self.systems]
        ranking = None
        if complete and self.scores.higher_is_better is not None:
            p_values = self.holm[plan.decisive(self.scores.n_segments)]
            ranking = rank(values, p_values, higher_is_better=self.scores.higher_is_better, alpha=plan.alpha)
        results = []
        for i, (system, value, interval) in enumerate(zip(self.systems, values, self.intervals.intervals, strict=True)):
            low, high = (ranking and ranking.ranges[i]) or (None, None)
            cluster = ranking.cluster_of(i) if ranking else None
            bounds = interval.low, interval.high, plan.confidence
            results.append(SystemResult(system, value, *bounds, cluster, low, high))
        clusters = ranking.clusters if ranking else ()
        return tuple(results), tuple(tuple(self.systems[i] for i in cluster) for cluster in clusters)

    def _pair(self, i: int, j: int) -> PairResult:
        a, b = self.systems[i], self.systems[j]
        difference = self.scores.system[a] - self.scores.system[b]
        error = float(self.intervals.standard_error[i, j])
        wins, ties, losses = _win_rates(self.segment[i], self.segment[j], self.scores.higher_is_better)
        contributions = difference - (self.without[i] - self.without[j])
        order = _by_contribution(contributions, difference, self._noise(i, j))
        return PairResult(
            a=a,
            b=b,
            difference=difference,
            ci_low=float(self.intervals.low[i, j]),
            ci_high=float(self.intervals.high[i, j]),
            p_value={test: float(found.p_value[i, j]) for test, found in self.tests.items()},
            p_holm={test: float(p_values[i, j]) for test, p_values in self.holm.items()},
            wins=wins,
            ties=ties,
            losses=losses,
            # Where nothing varies, nothing is known of how large a difference must be.
            mde=detectable_difference(error, alpha=self.plan.alpha, power=POWER) if error and self.can_find else nan,
            segments=tuple(self._shown(int(row), float(contributions[row]), i, j) for row in order[: self.plan.top]),
            deciding=self._deciding(order, difference, i, j),
        )

    @property
    def can_find(self) -> bool:
        """Whether a single comparison can be significant on so few segments and resamples."""
        return self.smallest_p < self.plan.alpha

    def _noise(self, i: int, j: int) -> float:
        """What rounding alone may make of a difference of these two scores."""
        return TOLERANCE * max(abs(self.scores.system[self.systems[k]]) for k in (i, j))

    def _shown(self, row: int, contribution: float, i: int, j: int) -> Segment:
        shown = Segment(self.numbers[row], contribution, float(self.segment[i][row]), float(self.segment[j][row]))
        return shown if self.testset is None else shown.with_texts(self.testset, row, self.systems[i], self.systems[j])

    def _deciding(self, order: NDArray[np.int64], difference: float, i: int, j: int) -> Deciding | None:
        """Leaves out segments in this order until no more than 1 - SHARE of the difference is left."""
        if not abs(difference) > self._noise(i, j):
            return None
        left_out = np.zeros((2, self.cube.shape[2]))
        start, size = 0, 256  # often few segments are enough
        while start < len(order):
            rows = order[start : start + size]
            sums = left_out[:, np.newaxis] + np.stack([self.cube[k][rows].cumsum(0) for k in (i, j)])
            first, second = evaluate(self.metric.score, self.totals[[i, j], np.newaxis] - sums)
            remaining = first - second
            found = np.flatnonzero(remaining / difference <= 1 - SHARE)
            if len(found):
                count = start + int(found[0]) + 1
                return Deciding(count, SHARE, float(remaining[found[0]])) if count < self.scores.n_segments else None
            left_out = sums[:, -1]
            start, size = start + size, min(4 * size, BLOCK)
        return None


def influences(scores: Scores) -> Floats:
    """Return what each segment adds to each system's score, times their number: (systems, segments)."""
    metric, sums = scores.metric, [(sum_counts(counts), counts) for counts in scores.cube]
    parts = [metric.score(total) - _without_each(metric, total, counts) for total, counts in sums]
    return np.stack(parts) * scores.n_segments


def _without_each(metric: MetricRecord, total: Floats, counts: Floats) -> Floats:
    """The corpus score without each of the segments in turn, shape (segments,)."""
    parts = [evaluate(metric.score, total - counts[start : start + BLOCK]) for start in range(0, len(counts), BLOCK)]
    return np.concatenate(parts)


def _by_contribution(contributions: Floats, difference: float, noise: float) -> NDArray[np.int64]:
    """Segments that pull towards the difference, strongest first; where there is none, by size alone."""
    pull = np.abs(contributions) if abs(difference) <= noise else contributions * np.sign(difference)
    rows = np.flatnonzero(pull > noise)
    return rows[np.argsort(-pull[rows], kind="stable")]


def _win_rates(first: Floats, second: Floats, higher_is_better: bool | None) -> tuple[float, float, float]:
    """Shares of segments, of those that both have a score for, in which the first is better, neither, the second."""
    defined = ~(np.isnan(first) | np.isnan(second))
    a, b = first[defined], second[defined]
    if not len(a):
        return nan, nan, nan
    noise = TOLERANCE * np.maximum(np.abs(a), np.abs(b))
    above, below = float((a > b + noise).mean()), float((b > a + noise).mean())
    ties = float((np.abs(a - b) <= noise).mean())
    return (below, ties, above) if higher_is_better is False else (above, ties, below)


def _power_sentence(label: str, n: int, mde: float, pairs: int, alpha: float, *, undefined: bool) -> str:
    if isnan(mde) and undefined:
        return "How large a difference must be to be found is unknown: some scores are undefined on resamples."
    if isnan(mde):
        return "How large a difference must be to be found is unknown: no difference varies between resamples."
    digits = max(0, 1 - floor(log10(mde)))
    several = f", median of {pairs} pairs" if pairs > 1 else ""
    return (
        f"With n = {n} segments, a true difference of about {mde:.{digits}f} {label} is found with "
        f"{100 * POWER:g} % power (two-sided test at {100 * alpha:g} %, before correction{several})."
    )

"""What a comparison of systems found. Differences are score(a) - score(b), whatever the metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from math import isnan
from typing import Any

from ..data.display import Tabular, html_table
from ..data.names import find_name
from ..data.scores import MetricRecord, find_metric
from ..data.stream import TextFiles
from ..data.testset import TestSet
from ..errors import UnknownName, UsageError
from ..stats.paired import FEW_SEGMENTS

SHARD = 10_000  # segments read at once


def decisive_test(resamples: Mapping[str, int], n: int) -> str:
    """Return the test that verdicts and clusters go by, of those with their numbers of resamples, for n segments.

    It is the one with most resamples, of equals the first: corrected for many comparisons, the smallest p-value of
    1,000 resamples may still be above .05. Below FEW_SEGMENTS segments it is randomisation, if that was computed.
    """
    if n < FEW_SEGMENTS and "randomisation" in resamples:
        return "randomisation"
    return max(resamples, key=lambda test: resamples[test])


@dataclass(frozen=True)
class SystemResult:
    """A system's score. Cluster and ranks are None where not all pairs were compared or there is no score."""

    system: str
    score: float
    ci_low: float
    ci_high: float
    confidence: float
    cluster: int | None
    rank_low: int | None  # the best rank it may have
    rank_high: int | None


@dataclass(frozen=True, slots=True)  # slots: 200 systems have 100,000 of them
class Segment:
    """A segment (numbered from 1) and its contribution: the difference minus the difference without it."""

    segment: int
    contribution: float
    a_score: float
    b_score: float
    source: str | None = None
    references: Mapping[str, str | None] | None = None
    a_output: str | None = None
    b_output: str | None = None

    def with_texts(self, testset: TestSet, row: int, a: str, b: str) -> Segment:
        """Return the segment with its texts, those of a row of the test set."""
        source = None if testset.source is None else testset.source[row]
        references = {name: lines[row] for name, lines in testset.references.items()}
        outputs = testset.outputs[a][row], testset.outputs[b][row]
        return Segment(self.segment, self.contribution, self.a_score, self.b_score, source, references, *outputs)


@dataclass(frozen=True)
class Deciding:
    """The smallest number of segments, largest contributions first, that make most (SHARE) of a difference."""

    segments: int
    share: float
    difference_without: float


@dataclass(frozen=True)
class PairResult:
    """Two systems: a - b, p-values by test, shares of better, tied, worse segments. mde: found with 80 % power."""

    a: str
    b: str
    difference: float
    ci_low: float
    ci_high: float
    p_value: Mapping[str, float]
    p_holm: Mapping[str, float]
    wins: float
    ties: float
    losses: float
    mde: float
    segments: tuple[Segment, ...]
    deciding: Deciding | None

    def better(self, higher_is_better: bool | None) -> str | None:
        """The name of the system with the better score; None for equal or undefined scores, or where none is better."""
        if self.difference == 0 or isnan(self.difference) or higher_is_better is None:
            return None
        return self.a if (self.difference > 0) == higher_is_better else self.b


@dataclass(frozen=True)
class Slice:
    """Scores by system on some of the segments, with bootstrap intervals; and these segments' numbers."""

    by: str
    slice: str
    n_segments: int
    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    segments: tuple[int, ...]


@dataclass(frozen=True)
class Bucket:
    """The segments of each system whose value is from `low` to below `high`, with the system's score on them."""

    bucket: str
    low: float
    high: float
    n_segments: Mapping[str, int]
    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    segments: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Buckets:
    """Segments grouped by what the systems made of them: by length difference, score, or quality."""

    by: str
    note: str  # how they were made, such as the thresholds
    buckets: tuple[Bucket, ...]


@dataclass(frozen=True)
class MetricResult:
    """All that one metric says. clusters: best first; systems within one are not all significantly different."""

    metric: str
    name: str
    signature: str
    higher_is_better: bool | None
    n_segments: int
    systems: tuple[SystemResult, ...]
    pairs: tuple[PairResult, ...]
    clusters: tuple[tuple[str, ...], ...]
    mde: float
    mde_sentence: str
    slices: tuple[Slice, ...]
    buckets: tuple[Buckets, ...]
    record: MetricRecord = field(repr=False)

    @property
    def decimals(self) -> int:
        """How many decimals tables of differences show."""
        return max(2, self.record.decimals)

    @property
    def ranked(self) -> list[SystemResult]:
        """The systems, best first, those without a score last."""
        worth = -1 if self.higher_is_better is False else 1
        return sorted(self.systems, key=lambda s: (isnan(s.score), 0.0 if isnan(s.score) else -worth * s.score))

    def pair(self, a: str, b: str) -> PairResult:
        """The comparison of two systems, whichever of them it lists first."""
        known = [result.system for result in self.systems]
        a, b = find_name(a, known), find_name(b, known)
        for pair in self.pairs:
            if {pair.a, pair.b} == {a, b}:
                return pair
        raise UsageError(f"{a} and {b} were not compared with each other: all systems were compared with the baseline.")


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """The comparison of all pairs of systems, or of all with a baseline, by one or more metrics.

    Examples
    --------
    >>> import tercet
    >>> texts = {"a": ["the cat sat", "a dog"], "b": ["the cat", "dog"]}
    >>> tercet.compare(tercet.TestSet(texts, {"ref": ["the cat sat", "a dog"]}), ["bleu", "chrf"], resamples=100)
    Comparison(BLEU, chrF2: 2 systems, 1 pair)
    """

    metrics: tuple[MetricResult, ...]
    tests: tuple[str, ...]
    resamples: Mapping[str, int]  # by test
    raised: tuple[str, ...]  # tests with more resamples than usual, for the sake of the correction
    seed: int
    alpha: float
    confidence: float
    baseline: str | None

    @property
    def n_segments(self) -> int:
        """The number of segments, of metrics that differ in it the smallest."""
        return min(result.n_segments for result in self.metrics)

    @property
    def decisive(self) -> str:
        """The test that verdicts and clusters go by (see `decisive_test`)."""
        return decisive_test(self.resamples, self.n_segments)

    def metric(self, name: str) -> MetricResult:
        """What a metric says; asked for as it was given, by spec, name, label or signature."""
        return self.metrics[find_metric(name, [result.record for result in self.metrics])]

    __getitem__ = metric

    def pvalue(self, metric: str, a: str, b: str, test: str | None = None, *, corrected: bool = False) -> float:
        """Return the two-sided p-value of a test, by default the decisive one; 1 for a system and itself."""
        test = self.decisive if test is None else test
        if test not in self.tests:
            raise UnknownName("test in this comparison", test, self.tests)
        result = self.metric(metric)
        if a == b and any(a == system.system for system in result.systems):
            return 1.0
        pair = result.pair(a, b)
        return (pair.p_holm if corrected else pair.p_value)[test]

    def is_significant(self, pair: PairResult) -> bool:
        """Return whether the decisive test finds a difference, corrected for the number of comparisons."""
        return pair.p_holm[self.decisive] < self.alpha and pair.difference != 0

    def gate(self, condition: str) -> list[GateVerdict]:
        """Return for every system whether a condition (see `read_gate`) holds against the baseline."""
        from .gates import read_gate

        return list(read_gate(condition).verdicts(self))

    def rows(self) -> list[dict[str, object]]:
        """Return a tidy table with one row per metric and pair of systems."""
        return [
            {
                "metric": result.metric,
                **{name: getattr(pair, name) for name in ("a", "b", "difference", "ci_low", "ci_high")},
                **{f"p_{test}": value for test, value in pair.p_value.items()},
                **{f"p_{test}_holm": value for test, value in pair.p_holm.items()},
                **{name: getattr(pair, name) for name in ("wins", "ties", "losses")},
                "better": pair.better(result.higher_is_better),
            }
            for result in self.metrics
            for pair in result.pairs
        ]

    def to_dict(self, *, full: bool = False) -> dict[str, Any]:
        """Return the result as JSON has it. full: also segments with texts, and those of slices and buckets."""
        metrics = [_as_dict(result, full) for result in self.metrics]
        return {**{each.name: getattr(self, each.name) for each in fields(self)}, "metrics": metrics}

    def __repr__(self) -> str:
        names = ", ".join(result.name for result in self.metrics)
        pairs = len(self.metrics[0].pairs)
        return f"Comparison({names}: {len(self.metrics[0].systems)} systems, {pairs} pair{'s' * (pairs != 1)})"

    def _repr_html_(self) -> str:
        tables = []
        for result in self.metrics:
            shown = f"{{:.{result.decimals}f}}"
            rows = [
                [pair.a, pair.b, *map(shown.format, (pair.difference, pair.ci_low, pair.ci_high)),
                 pair.p_holm[self.decisive]]
                for pair in result.pairs
            ]  # fmt: skip
            tables.append(html_table(["a", "b", "a - b", "low", "high", "p (Holm)"], rows, result.signature))
        return "\n".join(tables)


@dataclass(frozen=True)
class GateVerdict:
    """Whether a condition holds for a system against the baseline, with the reason. p_value: corrected."""

    failed: bool
    system: str
    metric: str
    message: str
    condition: str
    baseline: str
    score: float
    baseline_score: float
    p_value: float


def add_texts(result: Comparison, files: TextFiles) -> Comparison:
    """Return the comparison with the texts of its segments, which are read again, and no others kept."""
    pairs = [pair for metric in result.metrics for pair in metric.pairs]
    wanted = {segment.segment for pair in pairs for segment in pair.segments}
    kept: dict[int, TestSet] = {}
    first = 1
    for shard in files.shards(SHARD) if wanted else ():
        here = (number for number in wanted if first <= number < first + len(shard))
        kept |= {number: shard[number - first : number - first + 1] for number in here}
        first += len(shard)

    def filled(pair: PairResult) -> PairResult:
        segments = (each.with_texts(kept[each.segment], 0, pair.a, pair.b) for each in pair.segments)
        return replace(pair, segments=tuple(segments))

    metrics = (replace(metric, pairs=tuple(map(filled, metric.pairs))) for metric in result.metrics)
    return replace(result, metrics=tuple(metrics))


def _as_dict(result: MetricResult, full: bool) -> dict[str, object]:
    """Return a result without its metric, which no file needs, and unless `full` without lists of segments."""
    values = {each.name: getattr(result, each.name) for each in fields(result) if each.name != "record"}
    values["systems"] = [asdict(each) for each in result.systems]
    for name in ("pairs", "slices"):
        values[name] = [_fields(each, full) for each in values[name]]
    values["buckets"] = [
        vars(group) | {"buckets": [_fields(each, full) for each in group.buckets]} for group in result.buckets
    ]
    return values


def _fields(part: PairResult | Slice | Bucket, full: bool) -> dict[str, object]:
    if full:
        return asdict(part)
    kept = asdict(replace(part, segments=()))  # type: ignore[arg-type]
    del kept["segments"]
    return kept

"""What a comparison of systems found: `Comparison`, and what it consists of.

Differences are score(a) - score(b), whatever the metric; `higher_is_better` says whom they favour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isnan
from typing import Any

from ..errors import UnknownName, UsageError
from ..metrics import Metric


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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Deciding:
    """The smallest number of segments, largest contributions first, that make most (SHARE) of a difference."""

    segments: int
    share: float
    difference_without: float


@dataclass(frozen=True)
class PairResult:
    """Two systems: a - b, p-values by test, and the shares of segments in which a is better, both tie, b is better.

    mde: the true difference that is found with 80 % power; NaN where the difference does not vary.
    """

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
    """Scores by system on some of the segments."""

    by: str
    slice: str
    n_segments: int
    scores: Mapping[str, float]


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
    names: tuple[str, ...] = field(repr=False)  # by which it can be asked for

    def pair(self, a: str, b: str) -> PairResult:
        """The comparison of two systems, whichever of them it lists first."""
        known = [result.system for result in self.systems]
        for system in (a, b):
            if system not in known:
                raise UnknownName("system", system, known)
        for pair in self.pairs:
            if {pair.a, pair.b} == {a, b}:
                return pair
        raise UsageError(f"{a} and {b} were not compared with each other: all systems were compared with the baseline.")


@dataclass(frozen=True)
class Comparison:
    """The comparison of all pairs of systems, or of all with a baseline, by one or more metrics."""

    metrics: tuple[MetricResult, ...]
    tests: tuple[str, ...]
    resamples: Mapping[str, int]  # by test
    seed: int
    alpha: float
    confidence: float
    baseline: str | None

    @property
    def decisive(self) -> str:
        """The test that verdicts and clusters go by: the one with most resamples, of equals the first.

        Corrected for many comparisons, the smallest p-value of 1,000 resamples may still be above .05.
        """
        return max(self.tests, key=lambda test: self.resamples[test])

    def metric(self, name: str) -> MetricResult:
        """What a metric says; asked for as it was given, by spec, name, label or signature."""
        return self.metrics[find_metric(name, [result.names for result in self.metrics])]

    def pvalue(self, metric: str, a: str, b: str, test: str | None = None, *, corrected: bool = False) -> float:
        """The two-sided p-value of a test, by default the decisive one; 1 for a system and itself.

        corrected: by Holm, for the number of comparisons by this metric and test.
        """
        test = self.decisive if test is None else test
        if test not in self.tests:
            raise UnknownName("test in this comparison", test, self.tests)
        result = self.metric(metric)
        if a == b and any(a == system.system for system in result.systems):
            return 1.0
        pair = result.pair(a, b)
        return (pair.p_holm if corrected else pair.p_value)[test]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as the JSON form has it."""
        everything = asdict(self)
        for entry in everything["metrics"]:
            del entry["names"]
        return everything


def find_metric(name: str, named: Sequence[tuple[str, ...]]) -> int:
    """The number of the metric that `name` means; `named` has the names of each (see `metric_names`)."""
    for level in zip(*named, strict=True):
        found = [i for i, known in enumerate(level) if known.lower() == name.lower()]
        if len({named[i][1] for i in found}) > 1:
            raise UsageError(f"{name} may be any of {', '.join(named[i][0] for i in found)}: name one of these.")
        if found:
            return found[0]
    raise UnknownName("metric in this comparison", name, {names[0] for names in named})


def metric_names(given: str, metric: Metric, signature: str = "") -> tuple[str, ...]:
    """By what a metric can be asked for, most exact first."""
    return given, metric.spec, metric.name, metric.label, signature or metric.signature

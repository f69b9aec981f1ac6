"""`explain`: what metrics saw in one segment; `compare_edits`: how the edits of compared systems differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .data.testset import TestSet
from .errors import DataError, UsageError
from .metrics import Metric, Ready, Shard, create, metric_class, names
from .scoring import make_ready
from .text.explanations import Edits, Seen

if TYPE_CHECKING:
    from .comparing import Comparison, MetricResult
    from .engine import Progress

OPERATIONS = ("insertions", "deletions", "substitutions", "shifts", "jumps")
INSTEAD = {  # what else says why a segment has its score
    "qe": "Use 'tercet qe rank': it lists segments with the features that speak against them."
}


@dataclass(frozen=True)
class Explanation:
    """What one metric saw in one segment of one system: the texts, and what `explain_segment` returned."""

    system: str
    metric: str
    label: str
    segment: int  # from 1
    score: float
    output: str
    references: Sequence[str]
    source: str | None
    seen: Seen

    def to_dict(self) -> dict[str, object]:
        head = {"system": self.system, "metric": self.metric, "name": self.label, "segment": self.segment}
        seen = self.seen.to_dict(self.output, self.references, self.source)
        return {**head, "score": self.score, "values": dict(self.seen.values), **seen}

    @property
    def operations(self) -> dict[str, int] | None:
        """How many edits of each kind there are; None for a metric that makes none or a text too long to list them."""
        return _operations(self.seen)

    def lines(self) -> list[str]:
        return self.seen.lines()


def explain(
    testset: TestSet,
    metrics: Sequence[str | Metric] | str | Metric,
    *,
    segment: int = 1,
    systems: Sequence[str] | None = None,
) -> list[Explanation]:
    """Show what every metric saw in one segment; see `tercet.explain`."""
    metrics = [metrics] if isinstance(metrics, str | Metric) else metrics
    check_explained(metrics)
    if not 1 <= segment <= len(testset):
        raise UsageError(f"There is no segment {segment}: the test set has {len(testset)}.")
    one = testset[segment - 1 : segment]
    if systems is not None:
        one = one.only(systems)
    references = _references(one, 0)
    found = []
    for ready in make_ready(testset, metrics):
        for system, counts in ready.count(Shard(one)).items():
            texts = one.outputs[system][0], references, one.source[0] if one.source else None
            value = float(ready.segment_scores(counts)[0])
            found.append(Explanation(system, ready.spec, ready.label, segment, value, *texts, ready.explain(*texts)))
    return found


def check_explained(metrics: Sequence[str | Metric]) -> None:
    """Refuse metrics that cannot say what they saw in a segment."""
    for spec in metrics:
        metric = create(spec)
        if type(metric).explain_segment is Metric.explain_segment:
            instead = INSTEAD.get(metric.name)
            raise UsageError(f"{metric.name} cannot say what it saw in a segment.{f' {instead}' if instead else ''}")


@dataclass(frozen=True)
class MetricEdits:
    """The edits that one metric sees in the compared systems: sums by system, scripts of deciding segments."""

    sums: Mapping[str, Mapping[str, int]]
    deciding: Mapping[tuple[int, str], Explanation]


@dataclass(frozen=True)
class EditComparison:
    """A comparison with the edits of its systems, in the order of its metrics."""

    comparison: Comparison
    metrics: tuple[MetricEdits, ...]

    def to_dict(self, *, full: bool = False) -> dict[str, object]:
        """Return the comparison's, where pairs also have `edits`; full: also segments, with `a_edits` and `b_edits`."""
        everything = self.comparison.to_dict(full=full)
        for metric, edits in zip(everything["metrics"], self.metrics, strict=True):
            for pair in metric["pairs"]:
                pair["edits"] = {system: dict(edits.sums[system]) for system in (pair["a"], pair["b"])}
                for segment in pair.get("segments", ()):
                    for side in ("a", "b"):
                        segment[f"{side}_edits"] = edits.deciding[segment["segment"], pair[side]].to_dict()
        return everything


def compare_edits(
    comparison: Comparison, testset: TestSet, *, segments: Sequence[int] | None = None, progress: Progress | None = None
) -> EditComparison:
    """Return how compared systems go wrong: edits by kind, and the scripts of deciding segments."""
    rows = range(len(testset)) if segments is None else [number - 1 for number in segments]
    check_edits([_ready(result).given for result in comparison.metrics])
    for result in comparison.metrics:
        testset.only([each.system for each in result.systems])  # refuses a system that is not there
        if len(rows) != result.n_segments:
            raise UsageError(f"{result.n_segments} segments were compared, and the test set has {len(rows)}.")
    found, done = [], 0
    total = sum(len(result.systems) for result in comparison.metrics)
    for result in comparison.metrics:
        metric = _ready(result)
        sums = {}
        for system in (each.system for each in result.systems):
            sums[system] = _sum_operations(metric, testset, system, rows)
            done += 1
            if progress is not None:
                progress(done, total)
        found.append(MetricEdits(sums, _scripts(metric, result, testset)))
    return EditComparison(comparison, tuple(found))


def _ready(result: MetricResult) -> Ready:
    """Return the metric of a comparison, which must be able to look at texts."""
    if not isinstance(result.record, Ready):
        raise UsageError(f"{result.name} was not computed here, so that its edits are not known.")
    return result.record


def check_edits(metrics: Sequence[str | Metric]) -> None:
    """Refuse metrics that have no edit scripts."""
    for spec in metrics:
        metric = create(spec)
        if Edits not in metric.explains:
            known = ", ".join(name for name in names() if Edits in metric_class(name).explains)
            raise UsageError(f"{metric.name} has no edit scripts. Metrics that have: {known}.")


def _scripts(metric: Ready, result: MetricResult, testset: TestSet) -> dict[tuple[int, str], Explanation]:
    shown = {(s.segment, system) for pair in result.pairs for s in pair.segments for system in (pair.a, pair.b)}
    return {
        (number, system): explain(testset, [metric.given], segment=number, systems=[system])[0]
        for number, system in sorted(shown)
    }


def _sum_operations(metric: Ready, testset: TestSet, system: str, rows: Sequence[int]) -> dict[str, int]:
    total = Counter(dict.fromkeys(OPERATIONS, 0))
    for row in rows:
        output = testset.outputs[system][row]
        try:
            seen = metric.explain(output, _references(testset, row), testset.source[row] if testset.source else None)
            operations = _operations(seen)
        except DataError:  # it was scored, so that the script alone is too long; its message counts from this segment
            operations = None
        if operations is None:
            raise DataError(f"Segment {row + 1} of {system!r} is too long for {metric.name} to list its edits.")
        total.update(operations)
    return dict(total)


def _operations(seen: Seen) -> dict[str, int] | None:
    return next((part.operations for part in seen.parts if isinstance(part, Edits)), None)


def _references(testset: TestSet, row: int) -> list[str]:
    found = (texts[row] for texts in testset.references.values())
    return [text for text in found if text is not None]

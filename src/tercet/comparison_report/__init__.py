"""`make_report`: what a comparison found, with the segments behind every number, as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from ..checking import CheckReport, check
from ..comparing import Comparison, NgramComparison, WordComparison, compare_ngrams, compare_scores, compare_words
from ..comparing.buckets import take_segments
from ..comparing.ngrams import MOST_SYSTEMS
from ..comparing.plan import Plan
from ..comparing.words import check_segments
from ..data.files import writing
from ..data.scores import Scores
from ..data.stream import TextFiles
from ..data.testset import TestSet
from ..metrics import Metric
from ..scoring import check_texts, score
from ..slicing import segment_groups
from .human import human_scores, read_judged
from .layers import Layer, error_layer, metric_layers
from .page import report_page
from .payload import payload, usual_slices
from .verdicts import listed, verdict

__all__ = ["ComparisonReport", "make_report", "verdict"]


@dataclass(frozen=True, repr=False)
class ComparisonReport:
    """A comparison with the texts, segment scores and findings of `check` that its page shows."""

    comparison: Comparison
    testset: TestSet
    scores: Sequence[Scores]
    findings: CheckReport
    slices: Sequence[str]
    title: str
    numbers: Sequence[int]
    words: Sequence[WordComparison] = ()
    ngrams: Sequence[NgramComparison] = ()
    layers: Sequence[Layer] = ()
    before: Mapping[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """What the first metric says of the systems, in one or two sentences."""
        return verdict(self.comparison, self.comparison.metrics[0], self.before)

    def to_dict(self) -> dict[str, Any]:
        """Return the data of the page: texts, segment scores, differences, slices, findings."""
        return payload(**{each.name: getattr(self, each.name) for each in fields(self)})

    def html(self) -> str:
        """Return the page: one file that needs no network."""
        return report_page(self.to_dict())

    def write(self, path: str | Path) -> None:
        """Write the page. The file is complete or not written at all."""
        text = self.html()
        with writing(path) as stream:
            stream.write(text)

    def __repr__(self) -> str:
        return f"ComparisonReport({self.title!r}: {self.verdict})"


def make_report(
    testset: TestSet | TextFiles,
    metrics: Sequence[str | Metric] | str | Metric,
    plan: Plan,
    *,
    slices: Sequence[str] | None,
    scores: Sequence[Scores],
    judgements: Sequence[str | Path],
    title: str | None,
    words: Sequence[str],
    how_words: Mapping[str, Any],
    marks: int | None,
    layers: Sequence[Layer] = (),
    before: Mapping[str, str] | None = None,
    **where: Any,
) -> ComparisonReport:
    """Compare systems and return a report; the arguments are the options of `tercet report`.

    how_words: arguments of `compare_words`. layers: further ones. before: names of earlier outputs, by system. where:
    options of `score`.
    """
    check_texts(testset)
    texts = testset.read() if isinstance(testset, TextFiles) else testset
    segments = plan.segments
    numbers = check_segments(segments, len(texts))
    part = texts.take([number - 1 for number in numbers])
    by = usual_slices(part) if slices is None else list(slices)
    plan = replace(plan, slices=by, top=0, buckets=("quality",), segments=None, alone=True)
    plan.check_systems(texts.systems, f"Test set {texts.name!r}")  # before anything is counted
    for name in by:
        segment_groups(name, part, part.documents)
    judged = read_judged(judgements, texts)
    people = human_scores(judged, texts)
    errors = error_layer(judged, texts, numbers)
    computed: Sequence[Scores] = score(texts, metrics, **where) if metrics else ()
    every = [take_segments(item, numbers) for item in (*computed, *scores, *people)]
    comparison = compare_scores(every, testset=part, plan=plan)
    by_words: Sequence[WordComparison] = ()
    ngrams: Sequence[NgramComparison] = ()
    if texts.references and len(texts.systems) > 1:
        # All pairs of many systems would take long: the best is compared with the others.
        against = plan.baseline
        if against is None and len(texts.systems) > MOST_SYSTEMS:
            against = comparison.metrics[0].ranked[0].system
        asked: dict[str, Any] = {"segments": segments, "baseline": against, "alpha": plan.alpha}
        by_words = [compare_words(texts, grouping, **how_words, **asked, seed=plan.seed) for grouping in words]
        tokens = {name: how_words[name] for name in ("tokenize", "lowercase")}
        ngrams = compare_ngrams(texts, **asked, **tokens)
    layers = [
        *metric_layers(every, part, segments=marks),
        *(each.of(numbers) for each in layers),
        *([] if errors is None else [errors]),
    ]
    unnamed = texts.name in ("unnamed", ", ".join(texts.references))  # or named after the files of references alone
    title = title or (listed(texts.systems) if unnamed else texts.name)
    return ComparisonReport(
        comparison, part, every, check(testset=texts), by, title, numbers, by_words, ngrams, layers, before or {}
    )

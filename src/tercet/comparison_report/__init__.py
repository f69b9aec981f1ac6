"""`report`: what a comparison found, with the segments behind every number, as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ..checking import CheckReport, check
from ..comparing import (
    TESTS,
    Comparison,
    NgramComparison,
    WordComparison,
    compare_ngrams,
    compare_scores,
    compare_words,
)
from ..comparing.buckets import take_segments
from ..comparing.ngrams import MOST_SYSTEMS
from ..comparing.plan import Plan
from ..comparing.words import check_segments
from ..data.files import writing
from ..data.scores import Scores
from ..data.stream import TextFiles
from ..data.testset import TestSet
from ..engine import Progress
from ..errors import UsageError
from ..metrics import Metric
from ..scoring import check_texts, score
from ..slicing import segment_groups
from ..stats.resampling import SEED
from .human import human_scores, read_judged
from .layers import Layer, error_layer, metric_layers
from .page import report_page
from .payload import payload, usual_slices
from .verdicts import listed, verdict

__all__ = ["ComparisonReport", "report", "verdict"]


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

    @property
    def verdict(self) -> str:
        """What the first metric says of the systems, in one or two sentences."""
        return verdict(self.comparison, self.comparison.metrics[0])

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


def report(
    testset: TestSet | TextFiles,
    metrics: Sequence[str | Metric] | str | Metric = ("bleu",),
    *,
    scores: Sequence[Scores] = (),
    judgements: Sequence[str | Path] = (),
    title: str | None = None,
    tests: Sequence[str] = TESTS,
    resamples: int | None = None,
    seed: int = SEED,
    baseline: str | None = None,
    alpha: float = 0.05,
    confidence: float = 0.95,
    slices: Sequence[str] | None = None,
    thresholds: Mapping[str, tuple[float, float]] | None = None,
    segments: Sequence[int] | None = None,
    words: Sequence[str] = ("frequency",),
    training: Sequence[str] | None = None,
    parser: str | None = None,
    labels: Mapping[str, Sequence[str]] | None = None,
    tokenize: str | None = None,
    lowercase: bool = False,
    marks: int | None = None,
    jobs: int = 1,
    cluster: str | None = None,
    executor: Executor | None = None,
    cache: str | Path | None = None,
    progress: Progress | None = None,
) -> ComparisonReport:
    """Compare systems and make a page of the result: ranking, differences, slices, and a browser of all segments.

    Parameters
    ----------
    testset : the texts, of two or more systems.
    metrics : one or more metrics, as for `score`; the first gives the verdict.
    scores : segment scores that were computed elsewhere (`read_external`), shown beside the metrics.
    judgements : files of human judgements (DA, ESA, MQM, …), shown beside the metrics as means of segments. Errors
        that people marked (ESA, MQM) are marked in the texts.
    title : of the page; by default the name of the test set, or the names of the systems if it has none.
    tests, resamples, seed, baseline, alpha, confidence : as for `compare`.
    slices : groups of segments: "length", "document", labels such as "domain". By default all that the test set has.
    thresholds, segments : as for `compare`.
    words : groupings of words to compare: "frequency", "pos", "label"; with `training`, `parser` and `labels` as for
        `compare_words`.
    tokenize, lowercase : of words and n-grams, as for `compare_words`; metrics have their own.
    marks : the number of segments whose words are marked by what metrics saw in them (alignments, entities): those that
        differ most. By default as many as have 500 outputs of all systems together.
    jobs, cluster, executor, cache, progress : where and how to count, as for `score`.

    Returns
    -------
    ComparisonReport : `write(path)` writes the page; `comparison` has all numbers; `verdict` is the first sentence.

    Examples
    --------
    >>> import tercet
    >>> found = tercet.report(tercet.demo("en-de"), ["chrf", "bleu"])
    >>> found.write("report.html")  # doctest: +SKIP
    >>> found.comparison
    Comparison(chrF2, BLEU: 3 systems, 3 pairs)
    """
    check_texts(testset)
    texts = testset.read() if isinstance(testset, TextFiles) else testset
    if len(texts.systems) < 2:
        raise UsageError(f"Test set {texts.name!r} has fewer than two systems. A report compares two or more.")
    numbers = check_segments(segments, len(texts))
    part = texts.take([number - 1 for number in numbers])
    by = usual_slices(part) if slices is None else list(slices)
    how: dict[str, Any] = {
        "tests": tests, "resamples": resamples, "seed": seed, "baseline": baseline, "alpha": alpha,
        "confidence": confidence, "slices": by, "top": 0, "buckets": ["quality"], "thresholds": thresholds or {},
    }  # fmt: skip
    Plan(**how).check_systems(texts.systems, f"Test set {texts.name!r}")  # before anything is counted
    for name in by:
        segment_groups(name, part, part.documents)
    judged = read_judged(judgements, texts)
    people = human_scores(judged, texts)
    errors = error_layer(judged, texts, numbers)
    metrics = [metrics] if isinstance(metrics, str | Metric) else metrics
    computed: Sequence[Scores] = ()
    if metrics:
        computed = score(texts, metrics, jobs=jobs, cluster=cluster, executor=executor, cache=cache, progress=progress)
    every = [take_segments(item, numbers) for item in (*computed, *scores, *people)]
    comparison = compare_scores(every, testset=part, **how)
    by_words: Sequence[WordComparison] = ()
    ngrams: Sequence[NgramComparison] = ()
    if texts.references:
        # All pairs of many systems would take long: the best is compared with the others.
        against = baseline or (None if len(texts.systems) <= MOST_SYSTEMS else comparison.metrics[0].ranked[0].system)
        given: dict[str, Any] = {"training": training, "parser": parser, "labels": labels, "seed": seed}
        asked: dict[str, Any] = {"segments": segments, "baseline": against, "alpha": alpha}
        asked |= {"tokenize": tokenize, "lowercase": lowercase}
        by_words = [compare_words(texts, grouping, **given, **asked) for grouping in words]
        ngrams = compare_ngrams(texts, **asked)
    layers = metric_layers(every, part, segments=marks) + ([] if errors is None else [errors])
    named = title or _title(texts)
    return ComparisonReport(comparison, part, every, check(testset=texts), by, named, numbers, by_words, ngrams, layers)


def _title(testset: TestSet) -> str:
    """Return the name of the test set; the names of systems if it has none, or only those of reference files."""
    if testset.name not in ("unnamed", ", ".join(testset.references)):
        return testset.name
    return listed(testset.systems)

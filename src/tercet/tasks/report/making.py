"""The report: a comparison, and what its page shows beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any

from ...checking import check
from ...comparing import NgramComparison, WordComparison, compare_ngrams, compare_scores, compare_words
from ...comparing.buckets import take_segments
from ...comparing.ngrams import MOST_SYSTEMS
from ...comparing.plan import Plan
from ...comparing.words import check_segments
from ...comparison_report import ComparisonReport
from ...comparison_report.layers import Layer, error_layer, metric_layers
from ...comparison_report.payload import usual_slices
from ...comparison_report.verdicts import listed
from ...data.assessments import segment_names
from ...data.judgements import Judgements
from ...data.scores import Scores
from ...data.testset import TestSet
from ...errors import DataError
from ...human.agreement_files import load
from ...human.control import without_checks
from ...human.gold import segment_means
from ...human.mqm import weigh
from ...metrics import Metric
from ...metrics._external import external_record, external_scores
from ...options.groups import Where
from ...scoring import check_texts, score
from ...slicing import segment_groups
from . import ReportOptions


def make_report(
    texts: TestSet,
    metrics: Sequence[str | Metric] | str | Metric,
    options: ReportOptions,
    layers: Sequence[Layer],
    before: Mapping[str, str],
) -> ComparisonReport:
    """Compare systems and return a report. layers: further ones. before: names of earlier outputs, by system."""
    check_texts(texts)
    plan = Plan.of(options, slices=options.slices or ())
    numbers = check_segments(plan.segments, len(texts))
    part = texts.take([number - 1 for number in numbers])
    by = usual_slices(part) if options.slices is None else list(options.slices)
    plan = replace(plan, slices=by, top=0, buckets=("quality",), segments=None, alone=True)
    plan = plan.for_systems(texts.systems, f"Test set {texts.name!r}")  # before anything is counted
    for name in by:
        segment_groups(name, part, part.documents)
    judged = _read_judged(options.judgements, texts)
    people = _human_scores(judged, texts)
    errors = error_layer(judged, texts, numbers)
    computed: Sequence[Scores] = score(texts, metrics, **options.python(Where)) if metrics else ()
    every = [take_segments(item, numbers) for item in (*computed, *options.scores, *people)]
    comparison = compare_scores(every, testset=part, plan=plan)
    words, ngrams = _words(texts, options, comparison.metrics[0].ranked[0].system)
    layers = [
        *metric_layers(every, part, segments=options.marks),
        *(each.of(numbers) for each in layers),
        *([] if errors is None else [errors]),
    ]
    unnamed = texts.name in ("unnamed", ", ".join(texts.references))  # or named after the files of references alone
    title = options.title or (listed(texts.systems) if unnamed else texts.name)
    found = check(testset=texts)
    return ComparisonReport(comparison, part, every, found, by, title, numbers, words, ngrams, layers, before)


def _words(
    texts: TestSet, options: ReportOptions, best: str
) -> tuple[Sequence[WordComparison], Sequence[NgramComparison]]:
    """Return comparisons of words and of n-grams. best: the system with the best score."""
    if not texts.references or len(texts.systems) < 2:
        return (), ()
    against = options.baseline
    if against is None and len(texts.systems) > MOST_SYSTEMS:  # all pairs of many systems would take long
        against = best
    how: dict[str, Any] = {
        "segments": options.segments, "baseline": against, "alpha": options.alpha, "tokenize": options.tokenize,
        "lowercase": bool(options.lowercase),
    }  # fmt: skip
    sources: dict[str, Any] = {"training": options.training, "parser": options.parser, "labels": options.labels}
    words = [compare_words(texts, grouping, **how, **sources, seed=options.seed) for grouping in options.words]
    return words, compare_ngrams(texts, **how)


def _read_judged(paths: Sequence[str | Path], testset: TestSet) -> list[Judgements]:
    """Return the judgements of these files, one `Judgements` per kind. Errors without a value get the usual weights."""
    if not paths:
        return []
    found = [
        without_checks(loaded.judgements).kept.for_systems(testset.systems) for loaded in load(paths, pair=testset.pair)
    ]
    return [weigh(each) if any(isnan(row.value) for row in each.rows) else each for each in found]


def _human_scores(judged: Sequence[Judgements], testset: TestSet) -> list[Scores]:
    """Return the mean judgement of every output, one `Scores` per kind of judgement."""
    found = []
    for judgements in judged:
        means = segment_means(judgements, segment_names(testset))
        missing = [system for system in testset.systems if system not in means.segment]
        if missing:
            raise DataError(f"There are no judgements ({means.label}) of {', '.join(missing)}.")
        record = external_record(means.label, lower_is_better=means.higher_is_better is False)
        segment = {system: means.segment[system] for system in testset.systems}
        found.append(external_scores(record, segment, means.provenance))
    return found

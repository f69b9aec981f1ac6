"""The data of the report's page: texts, segment scores, results of tests, slices, findings, and facts on methods."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np

from .. import __version__
from ..comparing import Comparison, MetricResult, NgramComparison, WordComparison
from ..comparing.run import influences
from ..data.scores import Scores
from ..data.testset import TestSet, checksum
from ..metrics._external import ExternalMetric
from ..slicing import segment_groups
from ..stats.paired import resamples_made, test_name
from . import ComparisonReport
from .layers import pack
from .verdicts import verdict

LARGE = 10  # scores above it need no more than one decimal
GROUPS = 500  # a label with more different values is no slice


def usual_slices(testset: TestSet) -> list[str]:
    """Return the slices that a test set has: by length, by document and by labels with several values."""
    named = {"document": testset.documents, **testset.labels}
    found = ["length"] if testset.references or testset.source is not None else []
    return found + [
        by for by, values in named.items() if values and 1 < len(set(values)) <= min(GROUPS, len(values) - 1)
    ]


def payload(report: ComparisonReport) -> dict[str, object]:
    """Return everything that the page shows, ready for JSON."""
    comparison, testset, before = report.comparison, report.testset, report.before
    rows = {number: row for row, number in enumerate(report.numbers)}
    labels = [result.name for result in comparison.metrics]
    names = [result.name if labels.count(result.name) == 1 else result.metric for result in comparison.metrics]
    source_language, _, target_language = (testset.pair or "").partition("-")
    return {
        "title": report.title,
        "pair": testset.pair,
        "languages": [source_language, target_language],
        "n": len(testset),
        "numbers": list(report.numbers),
        "systems": list(testset.systems),
        "baseline": comparison.baseline,
        "before": [[testset.systems.index(name) for name in both] for both in before.items()],
        "alpha": comparison.alpha,
        "confidence": comparison.confidence,
        "source": None if testset.source is None else list(testset.source),
        "references": {name: list(lines) for name, lines in testset.references.items()},
        "outputs": [list(lines) for lines in testset.outputs.values()],
        "documents": None if testset.documents is None else list(testset.documents),
        "metrics": [
            _metric(comparison, result, item, name, testset.systems, report.slices)
            | {"verdict": verdict(comparison, result, before)}
            for result, item, name in zip(comparison.metrics, report.scores, names, strict=True)
        ],
        "slices": [_slice(by, testset) for by in report.slices],
        "words": [_words(each, testset.systems, rows) for each in report.words],
        "ngrams": [_ngrams(each, testset.systems, rows) for each in report.ngrams],
        "layers": [pack(each, testset) for each in report.layers],
        "findings": [asdict(found) for found in report.findings.findings],
        "facts": _facts(comparison, testset),
    }


def _metric(
    comparison: Comparison,
    result: MetricResult,
    scores: Scores,
    name: str,
    systems: Sequence[str],
    slices: Sequence[str],
) -> dict[str, object]:
    place = {system: i for i, system in enumerate(systems)}
    by_system = {found.system: found for found in result.systems}
    extras = scores.extras
    segment = np.stack([scores.segment[system] for system in systems])
    # Scores of other programs, and of people, do not say how many decimals are usual.
    external = isinstance(getattr(scores.metric, "metric", None), ExternalMetric)
    decimals = 1 if external and np.nanmax(np.abs(segment), initial=0) > LARGE else max(1, result.record.decimals)
    return {
        "name": name,
        "asked": result.metric,
        "signature": result.signature,
        "sign": {True: 1, False: -1, None: 0}[result.higher_is_better],
        "decimals": decimals,
        "external": external,
        "power": result.mde_sentence if len(systems) > 1 else "",
        "systems": [
            [each.score, each.ci_low, each.ci_high, each.cluster, each.rank_low, each.rank_high]
            for each in (by_system[system] for system in systems)
        ],
        "pairs": [
            [place[pair.a], place[pair.b], pair.difference, pair.ci_low, pair.ci_high, pair.p_holm[comparison.decisive]]
            for pair in result.pairs
        ],
        "segment": np.round(segment, decimals + 2).tolist(),
        "influence": np.round(influences(scores), decimals + 1).tolist() if len(systems) > 1 else None,
        "slices": {
            by: [
                [[part.scores[system], *part.intervals[system]] for system in systems]
                for part in result.slices
                if part.by == by
            ]
            for by in slices
        },
        "extras": {
            name: [np.round(extras[system][name], 3).tolist() for system in systems]
            for name in extras.get(systems[0], ())
        },
        "quality": [
            {"note": buckets.note, "groups": [[each.bucket, each.low, each.high] for each in buckets.buckets]}
            for buckets in result.buckets
            if buckets.by == "quality"
        ],
    }


def _words(found: WordComparison, systems: Sequence[str], rows: Mapping[int, int]) -> dict[str, object]:
    """Return the scores of groups of words, and the places of their segments on the page."""
    value = "f" if found.measure == "F" else "recall"
    groups = [
        {
            "name": group.group,
            "n": group.scores[found.baseline].reference_words,
            "scores": [
                [getattr(score, value), score.low, score.high] for score in (group.scores[name] for name in systems)
            ],
            "segments": [rows[number] for number in group.segments],
        }
        for group in found.groups
    ]
    return {"by": found.by, "measure": found.measure, "where": found.frequencies, "groups": groups}


def _ngrams(found: NgramComparison, systems: Sequence[str], rows: Mapping[int, int]) -> dict[str, object]:
    """Return the n-grams of a pair: how often either system gets them right, p-values, places of their segments."""
    both = [
        [
            [each.ngram, each.a_right, each.b_right, each.p_holm, [rows[number] for number in getattr(each, segments)]]
            for each in findings
        ]
        for findings, segments in ((found.a_better, "a_segments"), (found.b_better, "b_segments"))
    ]
    pair = {"a": systems.index(found.a), "b": systems.index(found.b)}
    return {**pair, "better": both, "tested": found.tested, "differing": found.differing}


def _slice(by: str, testset: TestSet) -> dict[str, object]:
    names, rows = segment_groups(by, testset, testset.documents)
    return {"by": by, "names": names, "of": rows.tolist()}


def _facts(comparison: Comparison, testset: TestSet) -> list[list[str]]:
    """Return what a reader needs to make the same report again, as pairs of name and value."""
    n = comparison.n_segments
    made = {test: resamples_made(test, n, comparison.resamples[test], ",") for test in comparison.tests}
    tests = "; ".join(f"{test_name(test, n)}, {resamples}" for test, resamples in made.items())
    pairs = len(comparison.metrics[0].pairs)
    corrected = f", corrected for {pairs} comparisons (Holm)" if pairs > 1 else ""
    facts = [
        ["Tests", f"two-sided; {tests}; seed {comparison.seed}"],
        ["Verdicts", f"{test_name(comparison.decisive, n)}{corrected}, significant below {comparison.alpha:g}"],
        ["Intervals", f"{100 * comparison.confidence:g} %, bootstrap over segments"],
        ["Versions", f"Tercet {__version__}, Python {platform.python_version()}, NumPy {np.__version__}"],
    ]
    texts: dict[str, Sequence[str | None] | None] = {"source": testset.source}
    texts |= {f"reference {name}": lines for name, lines in testset.references.items()}
    texts |= {f"output {name}": lines for name, lines in testset.outputs.items()}
    facts += [[f"SHA-256 of {name}", checksum(lines)[:16]] for name, lines in texts.items() if lines is not None]
    return facts
